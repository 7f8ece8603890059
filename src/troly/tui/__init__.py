"""The terminal screen: it draws what a turn says and decides nothing by itself."""
