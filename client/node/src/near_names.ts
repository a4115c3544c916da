// The name that a mistyped one may have meant.

/** The end of a sentence about a name that there is not: the nearest of `known`,
 * or all of them. */
export function hint(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase();
  const distances = known.map((one) => {
    const other = one.toLowerCase();
    return other.startsWith(lower) ? 0 : editDistance(lower, other);
  });
  const least = Math.min(...distances);
  if (least <= name.length / 3) {
    return `; did you mean ${known[distances.indexOf(least)]}?`;
  }
  return `; there are ${known.join(', ')}`;
}

// In insertions, deletions and replacements.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; ++i) {
    const next = [i + 1];
    for (let j = 0; j < b.length; ++j) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
