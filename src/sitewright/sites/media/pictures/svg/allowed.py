"""The elements and attributes of SVG that are kept; everything else is removed."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHAPES = {"circle", "ellipse", "line", "path", "polygon", "polyline", "rect"}
STRUCTURE = {"svg", "g", "defs", "symbol", "use", "switch", "title", "desc", "style", "view"}
TEXT = {"text", "tspan", "textPath"}
PAINT = {"linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker"}
FILTERS = {
    "filter",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
}
ANIMATION = {"animate", "animateMotion", "animateTransform", "mpath", "set"}
ELEMENTS = SHAPES | STRUCTURE | TEXT | PAINT | FILTERS | ANIMATION
"""Not among them: script, foreignObject, and `image`, whose pictures would keep their metadata."""
REPLACED = {"a": "g"}
"""A link becomes a group: its content is shown, its address is not followed."""
HOLDING_TEXT = {*TEXT, "title", "desc", "style"}
REFERRING = {"use", "linearGradient", "radialGradient", "pattern", "filter", "textPath", "mpath"}
"""Elements whose `href` may name an element of the same file."""

PRESENTATION = _words("""
    alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters
    direction display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family
    font-size font-size-adjust font-stretch font-style font-variant font-weight image-rendering isolation
    letter-spacing lighting-color marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity
    overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray
    stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align
    text-anchor text-decoration text-rendering transform transform-box transform-origin unicode-bidi vector-effect
    visibility white-space word-spacing writing-mode""")
"""Properties, allowed as attributes and in styles."""
GEOMETRY = _words("""
    cx cy d dx dy fr fx fy height lengthAdjust pathLength points r refX refY rotate rx ry startOffset textLength
    viewBox width x x1 x2 y y1 y2 preserveAspectRatio""")
DETAILS = _words("""
    amplitude azimuth baseFrequency bias clipPathUnits diffuseConstant divisor edgeMode elevation exponent
    filterUnits gradientTransform gradientUnits in in2 intercept k1 k2 k3 k4 kernelMatrix limitingConeAngle
    markerHeight markerUnits markerWidth maskContentUnits maskUnits mode numOctaves offset operator order orient
    patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha primitiveUnits
    radius result scale seed slope specularConstant specularExponent spreadMethod stdDeviation stitchTiles
    surfaceScale tableValues target targetX targetY type values xChannelSelector yChannelSelector z version""")
TIMING = _words("""
    accumulate additive attributeName begin by calcMode dur end fill from keyPoints keySplines keyTimes max min
    path repeatCount repeatDur restart to values""")
ATTRIBUTES = PRESENTATION | GEOMETRY | DETAILS | {"id", "class", "style", "href", "role", "aria-label", "aria-hidden"}
ANIMATED_ATTRIBUTES = PRESENTATION | GEOMETRY | DETAILS - {"in", "in2", "type", "version", "result"}
"""What an animation may change: never `href`, `style` or an event handler."""
