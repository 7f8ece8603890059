"""What the shop desk says: on warranties and products, clarifying questions, earlier messages, the check of prices."""
