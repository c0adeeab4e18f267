"""Texts that are harmful if a page interprets them."""

MARKUP = "<script>window.harmed=1</script><img src=x onerror=window.harmed=2>"
QUOTES = "\" onmouseover=\"window.harmed=3\" x='"
# U+0D4E combines with the next character, so that it is not "<" any more.
JOINED = "\u0d4e<script>window.harmed=4</script>"
BIDI = "\u202egnp.\u2066exe\u200b"
MUSTACHE = "{{{style}}}{{#x}}"
STYLE = "</style><style>*{display:none}</style>"

ALL = [MARKUP, QUOTES, JOINED, BIDI, MUSTACHE, STYLE, "]]></svg><!--", "javascript:window.harmed=5"]
