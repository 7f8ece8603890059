"""Text: joining, cutting, searching; positions are code points from 0 as in MongoDB."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.check import pattern
from troly_analysis.pipeline.compiler import Compiler, Operator, Scope
from troly_analysis.pipeline.errors import PipelineError, Word
from troly_analysis.pipeline.operators.conversion import as_text
from troly_analysis.pipeline.typed_expr import BOOL, INT, TEXT, TypedExpr, case, fail, is_null, list_of
from troly_analysis.query.sql import call, cast, literal

_SPACES = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"


def _concat(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    trees = [c.text(value, each.at, node.name) for value, each in zip(values, node.args, strict=True)]
    joined = reduce(lambda left, right: exp.DPipe(this=left, expression=right), trees)
    return TypedExpr(exp.Paren(this=joined), TEXT, sum(value.weight for value in values))


def _cased(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    return TypedExpr(
        call(node.name[3:].lower(), as_text(c, value, node, blank="")), TEXT, value.weight, filled=True
    )


def _length(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value,) = c.args(node, scope)
    tree = c.text(value, node.at, node.name)
    return TypedExpr(
        case((is_null(tree.copy()), fail("blank", node.at)), default=call("length", tree)), INT, filled=True
    )


def _substring(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    value, start, count = c.args(node, scope)
    begin, length = (
        c.number(each, arg.at, node.name) for each, arg in zip((start, count), node.args[1:], strict=True)
    )
    begin, length = cast(begin, "BIGINT"), cast(length, "BIGINT")
    bad = exp.LT(this=call("least", begin, length), expression=literal(0))
    place = exp.Add(this=begin.copy(), expression=literal(1))
    cut = call("substring", as_text(c, value, node, blank=""), place, length.copy())
    return TypedExpr(case((bad, fail("negative", node.at)), default=cut), TEXT, value.weight)


def _split(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    text, by = (c.text(value, each.at, node.name) for value, each in zip(values, node.args, strict=True))
    empty = exp.EQ(this=by.copy(), expression=literal(""))
    split = case((empty, fail("empty_text", node.at)), default=call("string_split", text, by))
    return TypedExpr(split, list_of(TEXT), values[0].weight)


def _compare_folded(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    left, right = (call("upper", as_text(c, value, node, blank="")) for value in c.args(node, scope))
    less = exp.LT(this=left, expression=right)
    greater = exp.GT(this=left.copy(), expression=right.copy())
    return TypedExpr(case((less, literal(-1)), (greater, literal(1)), default=literal(0)), INT, filled=True)


def _index(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    values = c.args(node, scope)
    text, part = (c.text(value, each.at, node.name) for value, each in zip(values, node.args, strict=True))
    return TypedExpr(exp.Paren(this=exp.Sub(this=call("instr", text, part), expression=literal(1))), INT)


def _given(c: Compiler, node: model.Call, scope: Scope, names: str) -> list[tuple[TypedExpr, exp.Expr]]:
    found = []
    for name in names.split():
        value = c.expr(node.named[name], scope)
        found.append((value, c.text(value, node.named[name].at, node.name)))
    return found


def _trim(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    ((value, tree),) = _given(c, node, scope, "input")
    chars = _given(c, node, scope, "chars")[0][1] if "chars" in node.named else literal(_SPACES)
    return TypedExpr(call(node.name[1:], tree, chars), TEXT, value.weight)


def _replace(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    (value, text), (_, find), (new, by) = _given(c, node, scope, "input find replacement")
    long = len(new.value) // 8 if isinstance(new.value, str) else 8
    if node.name == "$replaceAll":
        return TypedExpr(call("replace", text, find, by), TEXT, value.weight * (1 + long))
    at = call("instr", text, find)
    before = call("substring", text.copy(), literal(1), exp.Sub(this=at, expression=literal(1)))
    rest = exp.Add(this=at.copy(), expression=call("length", find.copy()))
    joined = exp.DPipe(
        this=exp.DPipe(this=before, expression=by), expression=call("substring", text.copy(), rest)
    )
    nowhere = exp.EQ(this=at.copy(), expression=literal(0))
    return TypedExpr(
        case((nowhere, _if_given(text, by)), default=exp.Paren(this=joined)), TEXT, value.weight + new.weight
    )


def _if_given(text: exp.Expr, by: exp.Expr) -> exp.Expr:
    """The text itself, null where the replacement is."""
    return case((is_null(by.copy()), exp.Null()), default=text.copy())


def _regex(c: Compiler, node: model.Call, scope: Scope) -> TypedExpr:
    ((_, text),) = _given(c, node, scope, "input")
    written, options = node.named["regex"], node.named.get("options", model.Literal(node.at, ""))
    if not isinstance(written, model.Literal) or not isinstance(options, model.Literal):
        raise PipelineError("type", written.at, expected=Word("constant"), found="$")
    wanted = pattern(written.value, options.value or "", written.at)
    c.patterns.append((wanted, written.at))
    found = call("regexp_matches", text, literal(wanted))
    return TypedExpr(call("coalesce", found, exp.false()), BOOL, filled=True)


OPERATORS: dict[str, Operator] = {
    "$concat": _concat,
    "$toLower": _cased,
    "$toUpper": _cased,
    "$strLenCP": _length,
    "$substrCP": _substring,
    "$split": _split,
    "$strcasecmp": _compare_folded,
    "$indexOfCP": _index,
    **dict.fromkeys(("$trim", "$ltrim", "$rtrim"), _trim),
    **dict.fromkeys(("$replaceOne", "$replaceAll"), _replace),
    "$regexMatch": _regex,
}
