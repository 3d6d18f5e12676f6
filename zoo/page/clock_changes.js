// The hour that comes twice when clocks are put back, in times without a zone: as zoo/data/series/clock_changes.py
// has it.

const AN_HOUR = 3600;
const CHANGES = { apart: 300 * 86400, months: [3, 4, 5, 9, 10, 11], hours: [23, 0, 1, 2, 3] };

// The rows of hours that come a second time, by their times in seconds on the wall; none if a time is out of order or
// there twice for another reason.
const secondHours = (times, step) => {
  const seen = new Set();
  const days = new Map();
  const rows = [];
  let latest = -Infinity;
  for (const [row, time] of times.entries()) {
    if (seen.has(time)) {
      rows.push(row);
      const day = Math.floor(time / 86400);
      days.set(day, [...(days.get(day) ?? []), time]);
    } else if (time < latest) return [];
    else seen.add((latest = time));
  }
  const isChange = (own) => {
    const date = new Date(1000 * own[0]);
    const hours = new Set(own.map((each) => Math.floor(each / AN_HOUR)));
    const usual = CHANGES.months.includes(date.getUTCMonth() + 1) && date.getUTCDay() % 6 === 0 && CHANGES.hours.includes(date.getUTCHours());
    return usual && hours.size === 1 && new Set(own).size === own.length && 2 * own.length * step >= AN_HOUR;
  };
  const sorted = [...days.keys()].sort((a, b) => a - b);
  const areFar = sorted.every((each, i) => !i || 86400 * (each - sorted[i - 1]) >= CHANGES.apart);
  return areFar && [...days.values()].every(isChange) ? rows : [];
};

// Whether times in seconds are newest first, but for an hour that comes twice.
const areTurned = (times, canRise) => {
  const isInHour = (before, after) => {
    const sameDay = Math.floor(before / 86400) === Math.floor(after / 86400);
    return canRise && sameDay && CHANGES.hours.includes(new Date(1000 * after).getUTCHours()) && after - before < AN_HOUR;
  };
  return times[0] > times.at(-1) && times.every((each, i) => !i || each <= times[i - 1] || isInHour(times[i - 1], each));
};
