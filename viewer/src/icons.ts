// icons.ts - the signs on the time bar, drawn: not every machine has them as letters.

const paths = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  start: "M3 2.5h2v11H3zM13 2.5v11L5.5 8z",
  end: "M11 2.5h2v11h-2zM3 2.5v11L10.5 8z",
};

export function icon(name: keyof typeof paths): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("width", "16");
  svg.setAttribute("height", "16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", paths[name]);
  path.setAttribute("fill", "currentColor");
  svg.append(path);
  return svg;
}
