// Curves of series, with their axes.
const SIDE = 190; // pixels of the height

// A number as an axis has it.
const spelled = (number) =>
  new Intl.NumberFormat("en", { notation: Math.abs(number) >= 1e6 ? "compact" : "standard", maximumSignificantDigits: 6, useGrouping: false }).format(number);

// The decimals that forecasts of some values have: two more than the values, so that quantiles differ.
const digitsOf = (values) => {
  const decimals = values.map((each) => {
    const [, part = "", power = 0] = /(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(each ?? ""));
    return part.length + Number(power);
  });
  return Math.min(9, 2 + decimals.reduce((most, each) => Math.max(most, each), 0));
};

// Round numbers from one to another: two to six of them, or fewer if there are not so many.
const ticksOf = (low, high) => {
  if (low === high) return [low];
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= raw * (1 - 1e-9));
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
};

// The time of a step without seconds and, for all steps at midnight, without the time of day.
const shortly = (label, steps) => {
  const every = steps.map(label);
  const end = [" 00:00:00", ":00"].find((each) => every.every((time) => time.endsWith(each) && time.length > each.length + 9)) ?? "";
  return (step) => (end && label(step).endsWith(end) ? label(step).slice(0, -end.length) : label(step));
};

// The last values and, after them, the median of a forecast in the band of its outermost quantiles. `label` has the
// time of a step, the first of the forecast being 0.
const chartOf = (title, past, forecast, levels, label) => {
  const [width, shown] = [704, past.slice(-4 * forecast.length - 20)];
  const middle = levels.indexOf(0.5) >= 0 ? levels.indexOf(0.5) : Math.floor(levels.length / 2);
  const numbers = [...shown, ...forecast.flat()].filter((each) => each !== null);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const x = (i) => (width * i) / Math.max(1, shown.length + forecast.length - 1);
  const y = (value) => SIDE - 6 - ((SIDE - 12) * (value - low)) / (high - low || 1);
  const at = (value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`;
  const after = (values) => values.map((each, i) => at(each, shown.length + i));
  const side = (level) => after(forecast.map((each) => each[level]));
  const figure = element("figure", "", "forecast");
  const caption = element("figcaption", title);
  caption.append(element("small", ` forecast from ${label(0)}${levels.length > 1 ? `, with the band from quantile ${levels[0]} to ${levels.at(-1)}` : ""}`));
  const chart = element("div", "", "chart");
  chart.innerHTML = '<svg role="img" preserveAspectRatio="none"><line class="start"/><polygon class="band"/><polyline class="past"/><polyline class="median"/></svg>';
  const [svg] = chart.children;
  svg.setAttribute("viewBox", `0 0 ${width} ${SIDE}`);
  svg.setAttribute("aria-label", `${title}: ${shown.length} values until ${label(-1)}, and the forecast from ${label(0)} to ${label(forecast.length - 1)}, the median of which is last ${spelled(forecast.at(-1)[middle])}`);
  const lines = {
    band: [...side(0), ...side(levels.length - 1).reverse()],
    past: shown.flatMap((each, i) => (each === null ? [] : [at(each, i)])),
    median: [...(shown.at(-1) == null ? [] : [at(shown.at(-1), shown.length - 1)]), ...side(middle)],
  };
  for (const [name, points] of Object.entries(lines)) svg.querySelector(`.${name}`).setAttribute("points", points.join(" "));
  const start = shown.length - 0.5;
  for (const [name, value] of Object.entries({ x1: x(start), x2: x(start), y1: 0, y2: SIDE })) svg.querySelector(".start").setAttribute(name, value);
  for (const tick of ticksOf(low, high)) {
    const mark = element("span", spelled(tick), "tick");
    mark.style.top = `${y(tick)}px`;
    chart.append(mark);
  }
  const times = element("div", "", "times");
  times.append(element("span", label(-shown.length)), element("span", label(forecast.length - 1)));
  figure.append(caption, chart, times);
  return figure;
};
