// Runs the scripts of a report on stand-ins for a browser and for the chart
// library, and prints what it shows as JSON: title, text and plots.
import fs from 'node:fs';
import vm from 'node:vm';

const html = fs.readFileSync(process.argv[2], 'utf8');
const script = html.slice(
  html.lastIndexOf('<script>') + 8,
  html.lastIndexOf('</script>'),
);
const plots = [];

class Node {
  children = [];
  offsetParent = this;
  constructor(tag) {
    this.tag = tag;
  }
  append(...children) {
    this.replaceChildren(...this.children, ...children);
  }
  replaceChildren(...children) {
    this.children = children;
    for (const child of children)
      if (child instanceof Node) child.parent = this;
  }
  all(tag) {
    return this.children
      .filter((child) => child instanceof Node)
      .flatMap((child) => [
        ...(child.tag === tag ? [child] : []),
        ...child.all(tag),
      ]);
  }
  get folded() {
    return (
      (this.tag === 'details' && !this.open) || Boolean(this.parent?.folded)
    );
  }
  get section() {
    return this.tag === 'section' ? this : this.parent.section;
  }
  get text() {
    return this.children
      .map((child) => (child instanceof Node ? child.text : child))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
  }
}

class Dygraph {
  static defaultInteractionModel = {};
  constructor(place, rows, { valueRange, underlayCallback }) {
    const plot = {
      title: place.ariaLabel,
      section: place.section.text,
      folded: place.folded,
      rows,
      range: valueRange,
      lines: [],
      shades: [],
      dots: [],
    };
    const coordinates = {
      toDomCoords: (x, y) => [x, y],
      toDomXCoord: (x) => 1000 * x,
      yAxisRange: () => valueRange,
    };
    const canvas = {
      moveTo: (x, y) => plot.lines.push([[x, y]]),
      lineTo: (x, y) => plot.lines.at(-1).push([x, y]),
      fillRect: (x, y, width) =>
        plot.shades.push([canvas.fillStyle, x / 1000, width / 1000]),
      arc: (x, y) => plot.dots.push([canvas.fillStyle, x, y]),
    };
    const drawing = new Proxy(canvas, {
      get: (own, name) => own[name] ?? (() => {}),
    });
    underlayCallback(drawing, { x: 0, y: 0, w: 1, h: 1 }, coordinates);
    plots.push(plot);
  }
}

const main = new Node('main');
const document = {
  documentElement: {},
  addEventListener() {},
  createElement: (tag) => new Node(tag),
  getElementById: () => ({
    textContent: html.match(/id="data">(.*?)<\/script>/s)[1],
  }),
  querySelector: () => main,
  querySelectorAll: (tag) => main.all(tag),
};
vm.runInNewContext(script, {
  document,
  Dygraph,
  Node,
  atob,
  addEventListener() {},
  getComputedStyle: () => ({ getPropertyValue: (name) => name }),
  matchMedia: () => ({ addEventListener() {} }),
});
console.log(
  JSON.stringify({
    title: document.title,
    text: main.text,
    plots,
    folded: main
      .all('details')
      .filter((one) => one.folded)
      .map((one) => one.text),
  }),
);
