"""The page of a report: its elements, and the style and script that stand in it."""

from html import escape

from . import drawing


class Markup(str):
    """Text that is HTML already."""


def text(value):
    """Anything as HTML: what is Markup stays, None is a dash, numbers are for people."""
    if isinstance(value, Markup):
        return value
    if value is None or isinstance(value, (int, float)):
        return Markup(escape(drawing.number(value)))
    return Markup(escape(str(value)))


def tag(name, *inside, **attributes):
    """An element. `class_` is class, `data_x` is data-x; an attribute that is None is left out."""
    words = "".join(' %s="%s"' % (k.rstrip("_").replace("_", "-"), escape(str(v)))
                    for k, v in attributes.items() if v is not None)
    return Markup("<%s%s>%s</%s>" % (name, words, "".join(map(text, inside)), name))


def join(parts, between=""):
    """Parts as one."""
    return Markup(between.join(map(text, parts)))


def link(target, *inside):
    """A link to an id of the page."""
    return tag("a", *inside, href="#" + target)


def number_cell(value, unit="", exact=None):
    """A cell with a number, which carries it exactly: sorting and tests read data-value."""
    exact = value if exact is None else exact
    shown = drawing.number(value) + (unit if value is not None else "")
    return tag("td", shown, class_="n", data_value=drawing.exact(exact))


def share_cell(share, hue=True):
    """A cell with a share of 1 as per cent, with a bar behind it."""
    if share is None:
        return tag("td", None, class_="n")
    style = "--share:%.1f%%" % (100 * min(1, max(0, share))) if hue else None
    return tag("td", "%.1f %%" % (100 * share), class_="n share", style=style, data_value=drawing.exact(share))


def change_cell(value, other, fewer_is_better=False):
    """A cell with what a number of another run is, compared with this one; coloured where fewer is better."""
    if value is None or other is None:
        return tag("td", None, class_="n")
    if value == other:
        return tag("td", "=", class_="n same", data_value="0")
    if not value:
        return tag("td", "new", class_="n")
    change = other / value - 1
    colour = ("more" if change > 0 else "less") if fewer_is_better else ""
    return tag("td", "%+.1f %%" % (100 * change), class_=("n " + colour).strip(), data_value=drawing.exact(change))


def table(heads, rows, caption=None, class_="", sortable=True):
    """A table. A head is a text, or (text, explanation)."""
    cells = [tag("th", h[0], title=h[1]) if isinstance(h, tuple) else tag("th", h) for h in heads]
    kind = " ".join(filter(None, ["sortable" if sortable else "", class_]))
    above = tag("caption", caption) if caption else ""
    return tag("div", tag("table", above, tag("thead", tag("tr", *cells)), tag("tbody", *rows), class_=kind or None),
               class_="wide")


def figure(svg, caption=""):
    """A chart and what it shows."""
    return tag("figure", Markup(svg), tag("figcaption", caption) if caption else "")


def page(title, body):
    """The document."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n'
            '<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n%s\n<script>%s</script>\n</body>\n</html>\n' %
            (escape(title), STYLE, body, SCRIPT))


STYLE = """
:root { --ink: #24292f; --grey: #6b7280; --pale: #e5e7eb; --blue: #3a6ea5; --hot: #fbe3d0; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 0 20px 80px; color: var(--ink); background: #fff;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 22px; margin: 22px 0 2px; }
h2 { font-size: 18px; margin: 40px 0 6px; padding-top: 10px; border-top: 2px solid var(--blue); }
h3 { font-size: 14px; margin: 22px 0 4px; } a { color: var(--blue); text-decoration: none; }
a:hover { text-decoration: underline; }
p { margin: 4px 0 8px; max-width: 80em; }
.quiet, figcaption, caption { color: var(--grey); font-size: 12px; text-align: left; }
code, .code { font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; } code { overflow-wrap: anywhere; }
nav { position: sticky; top: 0; background: #fff; padding: 6px 0; border-bottom: 1px solid var(--pale); z-index: 2;
  font-size: 12px; }
nav a { margin-right: 14px; white-space: nowrap; } nav { overflow-x: auto; white-space: nowrap; }
.facts { display: flex; flex-wrap: wrap; gap: 8px; margin: 10px 0; }
.facts div { border: 1px solid var(--pale); border-radius: 6px; padding: 5px 12px; min-width: 105px; }
.facts b { display: block; font-size: 17px; } .facts span { color: var(--grey); font-size: 11px; }
.note { border-left: 4px solid #e08a3c; background: #fdf6ee; padding: 6px 12px; margin: 10px 0; }
.note ul { margin: 2px 0; padding-left: 18px; }
.wide { overflow-x: auto; } .scroll { max-height: 640px; overflow: auto; border: 1px solid var(--pale); }
table { border-collapse: collapse; font-size: 12px; }
th, td { padding: 2px 8px; text-align: left; white-space: nowrap; vertical-align: top; }
th { border-bottom: 1px solid var(--grey); font-weight: 600; background: #fff; }
.scroll th { position: sticky; top: 0; }
.sortable th { cursor: pointer; } tbody tr:hover { background: #f3f6fa; } td { border-bottom: 1px solid #f3f4f6; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
td.name { max-width: 420px; overflow: hidden; text-overflow: ellipsis; }
.share { background: linear-gradient(90deg, #d6e4f2 var(--share, 0%), transparent var(--share, 0%)); }
.more { color: #b8505a; } .less { color: #2f6b42; } .same { color: var(--grey); }
.charts { margin-top: 8px; display: flex; flex-wrap: wrap; gap: 14px 26px; align-items: flex-start; }
figure { display: table; margin: 0; max-width: 100%; }
figcaption { display: table-caption; caption-side: bottom; }
svg.chart { max-width: 100%; height: auto; display: block; } svg .mark:hover { opacity: 0.75; }
.kernel { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 10px 30px; }
@media (max-width: 900px) { .kernel { display: block; } }
.runs { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 10px 26px; margin-top: 14px;
  }
.listing td { border: 0; padding: 0 8px; } .listing .code { white-space: pre; }
.listing .hot { background: var(--hot); }
.listing tr:target td { outline: 1px solid #b8505a; }
.listing .source td { background: #f3f6fa; color: var(--grey); padding-top: 4px; } .listing .n { color: #444; }
.wait { display: inline-block; height: 9px; }
details > summary { cursor: pointer; color: var(--blue); margin: 8px 0; }
#tip { position: fixed; display: none; background: var(--ink); color: #fff; font-size: 12px; padding: 3px 8px;
  border-radius: 4px;
  pointer-events: none; z-index: 9; max-width: 420px; }
.zoomed { outline: 1px dashed var(--blue); }
@media print { nav { position: static; } .scroll { max-height: none; } }
"""

# Without it the page has all its numbers; it adds tooltips, zoom by dragging in a chart (a double click undoes it), and
# sorting.
SCRIPT = """
(function () {
  var tip = document.createElement('div');
  tip.id = 'tip';
  document.body.appendChild(tip);
  function show(e, text) {
    tip.textContent = text;
    tip.style.display = 'block';
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 4) + 'px';
    tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 4) + 'px';
  }
  function short(v) { return isNaN(v) ? '\\u2013' : (+v).toLocaleString('en', { maximumSignificantDigits: 5 }); }
  function along(mark, e) {  // the place of a line or an area under the pointer
    var x = mark.dataset.x.split(' ').map(Number), v = mark.dataset.values.split(' '), b = mark.getBoundingClientRect();
    var steps = x.length > v.length, i = 0;
    var at = x[0] + (x[x.length - 1] - x[0]) * (e.clientX - b.left) / (b.width || 1);
    while (i + 1 < v.length && (steps ? x[i + 1] <= at : Math.abs(x[i + 1] - at) < Math.abs(x[i] - at))) i++;
    return (mark.dataset.series || '') + ' at ' + short(x[i]) + ': ' + short(v[i]) + ' ' + (mark.dataset.unit || '');
  }
  document.querySelectorAll('svg.chart').forEach(function (svg) {
    var whole = svg.getAttribute('viewBox'), from = null;
    svg.querySelectorAll('.mark > title').forEach(function (t) {
      t.parentNode.dataset.title = t.textContent;
      t.remove();
    });
    svg.addEventListener('mousemove', function (e) {
      var mark = e.target.closest('.mark');
      if (!mark) { tip.style.display = 'none'; return; }
      var cell = mark.dataset.at && mark.dataset.at + ': ' + short(mark.dataset.value);
      show(e, mark.dataset.values && mark.dataset.x ? along(mark, e) : mark.dataset.title || cell);
    });
    svg.addEventListener('mouseleave', function () { tip.style.display = 'none'; });
    function place(e) {
      var p = svg.createSVGPoint();
      p.x = e.clientX; p.y = e.clientY;
      return p.matrixTransform(svg.getScreenCTM().inverse());
    }
    svg.addEventListener('mousedown', function (e) { from = place(e); e.preventDefault(); });
    svg.addEventListener('mouseup', function (e) {
      var to = place(e), w = from && Math.abs(to.x - from.x), h = from && Math.abs(to.y - from.y);
      if (from && w > 12 && h > 12) {
        svg.setAttribute('viewBox', [Math.min(from.x, to.x), Math.min(from.y, to.y), w, h].join(' '));
        svg.classList.add('zoomed');
      }
      from = null;
    });
    svg.addEventListener('dblclick', function () {
      svg.setAttribute('viewBox', whole);
      svg.classList.remove('zoomed');
    });
  });
  document.querySelectorAll('table.sortable').forEach(function (table) {
    table.querySelectorAll('th').forEach(function (th, column) {
      var down = false;
      th.addEventListener('click', function () {
        var body = table.tBodies[0], rows = Array.from(body.rows);
        down = !down;
        function key(row) {
          var cell = row.cells[column], v = cell && cell.dataset.value;
          return v === undefined ? (cell ? cell.textContent : '') : v === '' ? -Infinity : Number(v);
        }
        rows.sort(function (a, b) {
          var x = key(a), y = key(b), numbers = typeof x === 'number' && typeof y === 'number';
          var less = numbers ? x - y : String(x).localeCompare(String(y));
          return down ? -less : less;
        });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });
}());
"""
