/* Goes into the head of a page under test. At the end of loading it reports to the page around it: a line
   with the number of figures, then one line for each fault. In a page that is driven from outside, the
   driver asks for the report. */
{
  const faults = [];
  addEventListener("error", ({ message }) => faults.push(`script error: ${message}`));
  addEventListener("unhandledrejection", ({ reason }) => faults.push(`script error: ${reason}`));
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    faults.push(`${violatedDirective} forbids ${blockedURI}`));

  /* WCAG 2.1: normal text has at least this ratio of luminances to what is behind it. */
  const LEAST_CONTRAST = 4.5;
  /* Pixels by which rounding may move an edge. */
  const SLACK = 1;

  const named = (element) => {
    const of = element.classList.length ? "." + [...element.classList].join(".") : "";
    return element.tagName.toLowerCase() + of;
  };
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;

  /* Whatever reaches over the page's edge and cannot be scrolled to inside it. */
  const overflow = () => {
    if (document.documentElement.scrollWidth > innerWidth + SLACK) faults.push("the page scrolls sideways");
    for (const element of document.body.querySelectorAll("*")) {
      const isInFigure = element.ownerSVGElement;
      if (isInFigure || !isShown(element) || element.getBoundingClientRect().right <= innerWidth + SLACK) continue;
      let around = element.parentElement;
      while (around && !scrolls(around)) around = around.parentElement;
      if (!around) faults.push(`${named(element)} reaches over the edge`);
    }
  };

  /* A table that is wider than its place keeps the names of its rows in sight. */
  const tables = () => {
    for (const table of document.querySelectorAll("table")) {
      const place = table.parentElement;
      if (place.scrollWidth <= place.clientWidth + SLACK) continue;
      for (const row of table.rows) {
        if (getComputedStyle(row.cells[0]).position === "sticky") continue;
        faults.push(`a wide table scrolls its first column away: ${row.textContent}`);
        break;
      }
    }
  };

  const parsed = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return { channels: [red, green, blue], alpha };
  };
  const luminance = ({ channels }) => {
    const linear = channels.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  /* The shape on which a figure's text is written. */
  const ground = (text) => {
    const { x, y, width, height } = text.getBBox();
    const centre = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(text.getScreenCTM());
    const isUnder = (shape) => {
      const { fill, opacity } = getComputedStyle(shape);
      const comesLater = shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_PRECEDING;
      if (comesLater || opacity !== "1" || parsed(fill).alpha !== 1) return false;
      return shape.isPointInFill(centre.matrixTransform(shape.getScreenCTM().inverse()));
    };
    return [...text.ownerSVGElement.querySelectorAll("rect, path, polygon")].findLast(isUnder);
  };
  /* The first opaque color behind an element. */
  const behind = (element) => {
    const shape = element.ownerSVGElement && ground(element);
    if (shape) return parsed(getComputedStyle(shape).fill);
    for (let at = element; at; at = at.parentElement) {
      const color = parsed(getComputedStyle(at).backgroundColor);
      if (color.alpha === 1) return color;
    }
    return parsed("rgb(255, 255, 255)");
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());

  const contrast = () => {
    const seen = new Set();
    for (const element of document.body.querySelectorAll("*")) {
      if (!hasText(element) || !isShown(element)) continue;
      const { color, fill } = getComputedStyle(element);
      const both = [parsed(element.ownerSVGElement ? fill : color), behind(element)];
      const [less, more] = both.map(luminance).sort((a, b) => a - b);
      const ratio = (more + 0.05) / (less + 0.05);
      const name = named(element);
      if (ratio >= LEAST_CONTRAST || seen.has(name)) continue;
      seen.add(name);
      faults.push(`${name} is hard to read, contrast ${ratio.toFixed(1)}: ${element.textContent.trim().slice(0, 40)}`);
    }
  };

  /* A figure counts if it is shown and something is drawn in it. */
  const figures = () => [...document.querySelectorAll("svg")].filter((figure) => {
    if (!isShown(figure)) return false;
    const { width, height } = figure.getBBox();
    if (width > 0 && height > 0) return true;
    /* A layer over something else may be empty. */
    if (figure.closest("[aria-hidden=true]")) return false;
    faults.push(`${named(figure)} is empty`);
    return false;
  });

  /* What is to be reported to a reader who prefers the scheme `wanted`. */
  const look = (wanted) => {
    if (!matchMedia(`(prefers-color-scheme: ${wanted})`).matches) faults.push(`the browser has no ${wanted} mode`);
    const isDark = luminance(behind(document.body)) < 0.5;
    if (isDark !== (wanted === "dark")) faults.push(`the page has no ${wanted} mode`);
    const count = figures().length;
    overflow();
    tables();
    contrast();
    return [`${count} figures`, ...faults.splice(0)];
  };
  if (frameElement) addEventListener("load", () => parent.report(frameElement.title, look(frameElement.style.colorScheme)));
  else window.heddleProbe = look;
}
