"""A page of heddle report as tests read it."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """The elements of a page. A tag that is not closed in its turn is an AssertionError."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.charts, self.cells = [], [], {}, []
        self.ids, self.links, self.outside = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, "not closed: %s" % self.open

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in VOID:
            self.open.append((tag, a))
        self.elements.append((tag, a))
        if "id" in a:
            self.ids.append(a["id"])
        for key, value in attributes:
            if key in ("href", "xlink:href", "src"):
                (self.links if (value or "").startswith("#") else self.outside).append(value)
            self.links += re.findall(r"url\((#[^)]+)\)", value or "")
        classes = (a.get("class") or "").split()
        if tag == "svg":
            self.charts[a["id"]] = []
        elif "mark" in classes:
            self.charts[next(b["id"] for t, b in reversed(self.open) if t == "svg")].append(a)
        elif tag == "td" and "data-value" in a:
            self.cells.append(a["data-value"])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, "</%s> in %s" % (tag, self.open[-1:])
        self.open.pop()

    def check(self):
        """Ids are different, what is linked is there, nothing is fetched from elsewhere."""
        assert len(set(self.ids)) == len(self.ids), "ids that stand twice: %s" % {i for i in self.ids
                                                                                  if self.ids.count(i) > 1}
        assert {l[1:]
                for l in self.links} <= set(self.ids), "links to nowhere: %s" % ({l[1:]
                                                                                  for l in self.links} - set(self.ids))
        assert not self.outside, self.outside
        for name, marks in self.charts.items():
            assert marks, "chart %s has no marks" % name

    def numbers(self, chart, series=None):
        """The numbers of a chart's marks in their order: of one series, if it is named."""
        return [m["data-value"] for m in self.charts[chart] if "data-value" in m
                and series in (None, m.get("data-series"))]


def read(path):
    """A page that is as it should be."""
    with open(path, encoding="utf-8") as f:
        page = Page(f.read())
    page.check()
    return page
