// Times of series: read in the formats that the library reads, counted and labeled by the clock of the model.
const [DAY, MONDAY] = [86400, 4 * 86400]; // seconds of a day, and of the first Monday since 1970
// A word in small letters, without accents and dots.
const plain = (word) => word.toLowerCase().replaceAll("ı", "i").normalize("NFD").replace(/[\u0300-\u036f.]/g, "");
const two = (number) => String(number).padStart(2, "0");

// Seconds of a date since 1970, or null if there is no such date.
const daySeconds = (year, month, day) => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 1000 : null;
};

// Seconds to the east of Greenwich of a zone: an offset, an abbreviation, or a name at an instant.
const offsetOf = (zone, hours, instant) => {
  const plain = zone.toLowerCase();
  if (plain in hours) return 3600 * hours[plain];
  const offset = /^(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(plain);
  if (offset) return (offset[1] === "-" ? -1 : 1) * (3600 * Number(offset[2]) + 60 * Number(offset[3] ?? 0));
  const words = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).format(1000 * instant);
  const named = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(words);
  return (named[1] === "-" ? -1 : 1) * (3600 * Number(named[2] ?? 0) + 60 * Number(named[3] ?? 0));
};

// What a cell says in a format, as { wall, zone }: seconds of a clock on the wall; or null.
const readTime = (cell, { pattern, unit }, series, pivot = series.pivots[1]) => {
  const groups = cell.length <= 100 && new RegExp(`^(?:${pattern})$`, "i").exec(cell.normalize("NFC"));
  if (!groups) return null;
  if (unit) {
    const count = unit === "number" ? Number(cell) : Math.floor(Number(cell) / series.epochs[unit]);
    const possible = unit === "number" ? Number.isInteger(count) : count >= series.first && count <= series.last;
    const micro = unit === "number" ? 0 : Math.round(1e6 * (Number(cell) / series.epochs[unit] - count));
    return possible ? { wall: count, micro, zone: "", counted: unit === "number" } : null;
  }
  const parts = groups.groups;
  let year = parts.era ? Number(parts.era) - 543 : Number(parts.year);
  if (parts.year?.length < 3) year += year >= pivot ? 1900 : 2000;
  let day;
  const count = (text) => (/^\d/.test(text) ? Number(text) : series.months[plain(text)]);
  const quarter = parts.quarter ?? parts.before;
  const half = parts.semester ?? parts.half_before;
  if (quarter) day = daySeconds(year, 3 * count(quarter) - 2, 1);
  else if (half) day = daySeconds(year, 6 * count(half) - 5, 1);
  else if (parts.week) {
    const fourth = daySeconds(year, 1, 4); // which is in the first week
    const monday = fourth - ((((fourth - MONDAY) / DAY) % 7) + 7) % 7 * DAY;
    const last = daySeconds(year, 12, 28);
    day = monday + (7 * (parts.week - 1) + Number(parts.weekday ?? 1) - 1) * DAY;
    if (parts.week < 1 || monday + 7 * (parts.week - 1) * DAY > last) return null;
  } else if (parts.ordinal) {
    day = daySeconds(year, 1, 1) + (parts.ordinal - 1) * DAY;
    if (parts.ordinal < 1 || day >= daySeconds(year + 1, 1, 1)) return null;
  } else {
    day = daySeconds(year, count(parts.month ?? "1"), Number(parts.day ?? 1));
  }
  let hour = Number(parts.hour ?? 0);
  if (parts.half && (hour < 1 || hour > 12)) return null;
  if (parts.half) hour = (hour % 12) + (parts.half.toLowerCase() === "p" ? 12 : 0);
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  if (day === null || hour > (minute ? 23 : 24) || minute > 59 || second > 59) return null;
  try {
    if (parts.zone) offsetOf(parts.zone, series.zones, day);
  } catch {
    return null;
  }
  const micro = Number((parts.fraction ?? "").padEnd(6, "0").slice(0, 6));
  return { wall: day + 3600 * hour + 60 * minute + second, micro, zone: parts.zone ?? "" };
};

const isDate = (cell, series) => (series?.formats ?? []).some((each) => !each.digits && readTime(cell, each, series));

const spanOf = (numbers) => (numbers.length ? numbers.reduce((a, b) => Math.max(a, b)) - numbers.reduce((a, b) => Math.min(a, b)) : 0);

// What is read with the first year of two digits of the last century of which the column is shorter.
const inCentury = (read, { pivots }, numbers) => {
  const [early, usual] = pivots.map(read);
  return spanOf(numbers(early)) <= spanOf(numbers(usual)) ? early : usual;
};

// The times of cells in a format, or null where they are written otherwise.
const timesAs = (format, cells, series) => {
  const walls = (times) => times.filter((each) => each).map((each) => each.wall);
  return inCentury((pivot) => cells.map((each) => readTime(each, format, series, pivot)), series, walls);
};

// Whether times are equally far apart, in days or in months.
const areRegular = (walls) => {
  const rising = [...new Set(walls)].sort((a, b) => a - b);
  const gaps = (numbers) => new Set(numbers.slice(1).map((each, i) => (each - numbers[i]).toFixed(6)));
  const dates = rising.map((each) => new Date(1000 * each));
  const months = dates.map((each) => 12 * each.getUTCFullYear() + each.getUTCMonth());
  if (rising.length < 3) return false;
  if (new Set(dates.map((each) => each.getUTCDate())).size === 1 && gaps(months).size === 1) return true;
  const days = [...gaps(rising)].map((each) => each / DAY).sort();
  return days.length === 1 || (days.length === 2 && days[0] === 1 && days[1] === 3);
};

// The format of digits in which all cells are dates, if they are no numbers that are equally far apart.
const rareFormat = (cells, series) => {
  const different = [...new Set(cells.filter((each) => each))].sort();
  if (different.length < 3 || !different.every((each) => /^\d+(?:\.\d*)?$/.test(each))) return undefined;
  const numbers = different.map(Number).sort((a, b) => a - b);
  if (new Set(numbers.slice(1).map((each, i) => (each - numbers[i]).toFixed(9))).size === 1) return undefined;
  const fitting = series.rare.filter((each) => different.every((cell) => readTime(cell, each, series)));
  const regular = fitting.filter((each) => areRegular(timesAs(each, different, series).map(({ wall }) => wall)));
  const chosen = fitting.length > 1 ? regular : fitting;
  const sure = chosen.length > 1 ? chosen.filter((each) => !each.short) : chosen;
  return sure.length === 1 ? sure[0] : undefined;
};

// The times of a column in the format that reads most of its cells.
const timesIn = (cells, series) => {
  const read = series.formats.map((format) => ({ format, times: timesAs(format, cells, series) }));
  const size = ({ times }) => times.filter((each) => each).length;
  const dates = read.filter((each) => each.format.unit !== "number");
  const regular = ({ times }) => areRegular(times.filter((each) => each).map(({ wall }) => wall));
  const best = dates.reduce((a, b) => (size(b) > size(a) || (size(b) === size(a) && !regular(a) && regular(b)) ? b : a));
  const number = read.find((each) => each.format.unit === "number");
  const rare = size(best) < cells.filter((each) => each).length && rareFormat(cells, series);
  if (rare) return timesAs(rare, cells, series);
  if (number && size(best) < 0.9 * cells.length && size(number) > size(best)) return number.times;
  const [first, other] = ["day/month/year", "month/day/year"].map((name) => dates.find((each) => each.format.name === name));
  if ((best !== first && best !== other) || !first || !other || size(first) !== size(other)) return best.times;
  if (first.times.every((each, i) => each?.wall === other.times[i]?.wall)) return best.times;
  if (series.layout.day_first === null) throw new Error(`${cells[0]} can be read day first and month first: write dates like 2024-01-31`);
  return (series.layout.day_first ? first : other).times;
};

// Times of day as the formats of dates read them: of numbers, hours, or hours with minutes and seconds.
const clocks = (cells) => {
  const there = cells.filter((each) => each);
  const longest = Math.max(...there.map((each) => each.length));
  const width = longest < 3 ? 0 : longest < 5 ? 4 : 6;
  if (there.length && there.every((each) => /^\d{1,6}$/.test(each)))
    return cells.map((each) => each && (each.padStart(width, "0").match(/\d{1,2}/g) ?? []).join(":"));
  const end = "(?:\\s*[-–]\\s*\\d{1,2}(?:[:.h]\\d{2}){0,2}(?:\\s*[ap]\\.?m\\.?)?\\s*(?:uhr|h)?)?";
  const clock = new RegExp(`^(\\d{1,2}(?:[:.h]\\d{2}(?:[:.]\\d{2}(?:[.,]\\d{1,9})?)?)?(?:\\s*[ap]\\.?m\\.?)?)\\s*(?:uhr|h|hrs?)?${end}$`, "i");
  return cells.map((each) => clock.exec(each)?.[1] ?? each);
};

// Days, without a midnight behind them, with their times of day.
const withClocks = (days, times) => {
  const midnight = /[t\s]\s*(?:0?0:00(?::00(?:\.0+)?)?|12:00(?::00)? am)$/i;
  const clockTimes = clocks(times);
  return days.map((day, i) => (day ? `${day.replace(midnight, "")} ${clockTimes[i] || "(no time of day)"}` : clockTimes[i]));
};

// The cells of several columns that make times together.
const joinedCells = (series, columns) => {
  const { parts } = series;
  const dates = ["quarter", "month", "day", "day of year"];
  const whole = columns.length === 2 && !dates.includes(parts[1]);
  const isClock = (_, i) => (whole ? i === 1 : i > 0 && !dates.includes(parts[i]));
  const [days, times] = [columns.filter((...each) => !isClock(...each)), columns.filter(isClock)];
  const between = !days[1]?.every((each) => /^\d+$/.test(each)) ? " " : parts[1] === "quarter" ? "Q" : "-";
  if (parts[0] === "year") days[0] = inCentury((pivot) => days[0].map((each) => (/^\d\d$/.test(each) ? (Number(each) >= pivot ? 19 : 20) + each : each)), series, (years) => years.map(Number));
  if (parts[1] === "day of year") days[1] = days[1].map((each) => each.padStart(3, "0"));
  const rows = (parts, mark, size = 0) => parts[0].map((_, i) => parts.map((each) => each[i].padStart(size, "0")).join(mark));
  if (!times.length) return rows(days, between);
  return withClocks(rows(days, between), whole ? times[0] : rows(times, ":", 2));
};

// Dates instead of numbers of days, as Excel counts them, or of decimal years one month or quarter apart.
const withoutCounts = (cells, series) => {
  const { serials, years } = series;
  if (rareFormat(cells, series)) return cells;
  const numbers = cells.map((each) => (each === "" ? null : Number(each.replace(",", "."))));
  const there = numbers.filter((each) => each !== null);
  if (!there.length || there.some(Number.isNaN)) return cells;
  const serial = serials.find(([, first, last]) => there.every((each) => each >= first && each <= last));
  if (serial) {
    const seconds = numbers.map((each) => each !== null && (each - serial[3]) * DAY);
    const near = seconds.every((each) => each === false || Math.abs(each - 60 * Math.round(each / 60)) <= 2);
    const text = (each) => new Date(1000 * (near ? 60 * Math.round(each / 60) : Math.round(each))).toISOString().slice(0, 19).replace("T", " ");
    return seconds.map((each) => (each === false ? "" : text(each)));
  }
  if (!years || there.length < 3 || there.length < cells.length || there.every(Number.isInteger) || there.some((each) => each < 1000 || each >= 2300)) return cells;
  for (const parts of [12, 4]) {
    const counts = numbers.map((each) => Math.floor(each * parts + 0.05));
    const [mark, size] = parts === 12 ? ["-", 2] : ["Q", 1];
    if (counts.every((each, i) => !i || each - counts[i - 1] === 1)) return counts.map((each) => Math.floor(each / parts) + mark + String((each % parts) + 1).padStart(size, "0"));
  }
  return cells;
};

// The starts of a column of intervals; other columns as they are.
const startsOf = (cells, series) => {
  const there = cells.filter((each) => each).slice(0, 20);
  const isSeason = (cell) => {
    const [, start, end] = /^(\d{4})[-/](\d{2}|\d{4})$/.exec(cell) ?? [];
    return Boolean(start) && Number(end) === (Number(start) + 1) % 10 ** end.length;
  };
  if (there.length > 2 && there.every(isSeason)) return cells.map((each) => (isSeason(each) ? each.slice(0, 4) : each));
  const clocks = /^(.*\d\s\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/;
  const ends = new Set(there.map((each) => clocks.exec(each)?.[2]));
  if (ends.size > 2 && !ends.has(undefined)) return cells.map((each) => each.replace(clocks, "$1"));
  const pattern = new RegExp(`^(?:${series.interval})$`, "i");
  const starts = cells.map((each) => pattern.exec(each)?.slice(1).find((part) => part)?.trim().replace(/\s*\(([A-Z]{1,5})\)$/, " $1"));
  const first = starts.filter((_, i) => cells[i]).slice(0, 20);
  return first.length && first.every((each) => each && isDate(each, series)) ? cells.map((each, i) => starts[i] ?? each) : cells;
};

// The column of times of a table: where it is, and how the clock counts and labels its times; or null.
const timesOf = (names, column, width, series) => {
  const name = series?.layout.time;
  if (!name) return null;
  const cut = (cell) => cell.replace(/\.0$/, "");
  const alike = (each) => (names.includes(each) ? names.indexOf(each) : names.findIndex((own) => own.toLowerCase() === each.toLowerCase()));
  let indices = [names.indexOf(name)];
  if (indices[0] < 0) indices = name.split(", ").map(alike);
  const isTime = (cell) => [...series.formats, ...series.rare].some((each) => readTime(cell, each, series));
  const hasTimes = (index) => index >= 0 && column(index).slice(0, 20).every(isTime);
  if (indices.includes(-1)) indices = series.times.map(alike).filter(hasTimes).slice(0, 1);
  if (!indices.length) {
    const dated = [...Array(width).keys()].filter((index) => column(index).slice(0, 20).every((each) => isDate(each, series)));
    indices = dated.slice(0, dated.length === 1 ? 1 : 0);
  }
  if (!indices.length) return null;
  const parts = indices.map((index) => column(index).map(cut));
  const cells = indices.length === 1 ? withoutCounts(startsOf(column(indices[0]), series), series) : joinedCells(series, parts);
  return { indices, name, words: series.words, ...clockOf(cells, series) };
};

// Whether the rows of a table are newest first.
const newestFirst = (names, column, width, series) => timesOf(names, column, width, series)?.falls() ?? false;

// How the clock of a model counts and labels the times of a column.
const clockOf = (cells, series) => {
  const { unit, step, day, second, style } = series.clock;
  const times = timesIn(cells, series);
  const zones = [...new Set(times.map((each) => each?.zone ?? ""))];
  const fine = unit === "microsecond";
  const instants = (fine || (unit === "second" && step % DAY !== 0)) && zones.some((each) => each);
  const zone = zones.length === 1 ? zones[0] : instants ? times.at(-1).zone : "";
  const hasChanges = unit === "second" && step <= 3600 && !zones.some((each) => each);
  const offset = (name, wall) => offsetOf(name, series.zones, wall - offsetOf(name, series.zones, wall));
  const parts = (wall) => {
    const date = new Date(1000 * wall);
    return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()];
  };

  function dayOfMonth(year, month) {
    const last = parts(daySeconds(year + (month === 12), (month % 12) + 1, 1) - DAY)[2];
    if (day >= 0) return Math.min(day || last, last);
    const days = Array.from({ length: last }, (_, i) => i + 1).filter((each) => parts(daySeconds(year, month, each))[3] % 6);
    return day === -1 ? days.at(-1) : days[0];
  }

  // The seconds of a time on the wall, or since 1970 where times less than a day apart have zones.
  function wallOf(count) {
    if (unit === "month") {
      const [year, month] = [Math.floor(count / 12), (((count % 12) + 12) % 12) + 1];
      return daySeconds(year, month, dayOfMonth(year, month)) + second;
    }
    if (unit === "business day") return MONDAY + (Math.floor(count / 5) * 7 + (((count % 5) + 5) % 5)) * DAY + second;
    return fine ? Math.floor(count / 1e6) : count;
  }

  function countOf(time) {
    if (fine) return 1e6 * (time.wall - (instants ? offset(time.zone, time.wall) : 0)) + time.micro;
    if (unit === "month") return parts(time.wall)[0] * 12 + parts(time.wall)[1] - 1;
    if (unit !== "business day") return instants ? time.wall - offset(time.zone, time.wall) : time.wall;
    const days = Math.floor((time.wall - MONDAY) / DAY);
    return 5 * Math.floor(days / 7) + Math.min(((days % 7) + 7) % 7, 5);
  }

  function counts(lines) {
    const bad = times.findIndex((each) => !each);
    if (bad >= 0) throw new Error(`line ${lines[bad]}: ${cells[bad]} is not a time like ${cells.find((_, i) => times[i]) ?? "2024-01-31"}`);
    const numbers = times.map(countOf);
    const fits = numbers.every((each, i) => (each - numbers[0]) % step === 0 && (instants || wallOf(each) === times[i].wall));
    if (!fits || times.some((each) => Boolean(each.counted) !== (unit === "step"))) return null;
    const second = hasChanges ? secondHours(numbers, step) : [];
    numbers.forEach((each, i) => {
      if (i && each <= numbers[i - 1] && !second.length) throw new Error(`line ${lines[i]}: the time ${cells[i]} is not after ${cells[i - 1]}; sort the rows of one series by time`);
    });
    return numbers;
  }

  function label(count) {
    if (unit === "step") return String(count);
    const shift = zone && instants ? offsetOf(zone, series.zones, wallOf(count)) : 0;
    const wall = wallOf(count) + shift;
    const [year, month, date, weekday] = parts(wall);
    if (style === "quarter") return `${year}Q${Math.ceil(month / 3)}`;
    if (style === "half") return `${year}H${month > 6 ? 2 : 1}`;
    if (style === "week") {
      const thursday = wall + (4 - (weekday || 7)) * DAY;
      const [own] = parts(thursday);
      return `${own}-W${two(Math.floor((thursday - daySeconds(own, 1, 1)) / DAY / 7) + 1)}`;
    }
    const rest = ((wall % DAY) + DAY) % DAY;
    const micro = String(count - 1e6 * Math.floor(count / 1e6)).padStart(6, "0");
    const part = fine ? `.${micro.slice(0, step % 1000 ? 6 : 3)}` : "";
    const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}${part}`;
    const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(date)}`;
    if (!zone) return rest || fine || (unit === "second" && step % DAY) ? `${text} ${clock}` : text;
    const east = instants ? shift : offset(zone, wall);
    const [size, sign] = [Math.abs(east), east < 0 ? "-" : "+"];
    return `${text} ${clock}${sign}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}`;
  }

  function falls() {
    return times.every((each) => each) && areTurned(times.map(countOf), unit === "second" && !instants);
  }

  return { counts, label, falls };
};
