// Names that a mistyped name may have meant.

// What others call the inputs, in lower case and without underscores.
const ELSEWHERE: Readonly<Record<string, string>> = {
  qpos: 'q',
  position: 'q',
  positions: 'q',
  qd: 'v',
  dq: 'v',
  qdot: 'v',
  qvel: 'v',
  velocity: 'v',
  velocities: 'v',
  qdd: 'a',
  ddq: 'a',
  qddot: 'a',
  qacc: 'a',
  acceleration: 'a',
  accelerations: 'a',
  torque: 'tau',
  torques: 'tau',
  effort: 'tau',
  efforts: 'tau',
};

/** The end of a sentence about a name that there is not: the nearest of `known`,
 * or all of them. */
export function hint(name: string, known: readonly string[]): string {
  const plain = name.toLowerCase().replaceAll('_', '');
  const meant = Object.hasOwn(ELSEWHERE, plain) ? ELSEWHERE[plain] : undefined;
  const near =
    meant !== undefined && known.includes(meant) ? meant : nearest(name, known);
  if (near !== undefined) return `; did you mean ${near}?`;
  return known.length > 0 ? `; there are ${known.join(', ')}` : '';
}

/** The one that goes on where `name` ends, or is within a third of its length
 * (at least 2) in insertions, deletions and replacements; else the first that
 * has a word of it. */
export function nearest(
  name: string,
  known: readonly string[],
): string | undefined {
  const tolerance = Math.max(2, Math.floor(name.length / 3));
  let found: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const isLonger = name !== '' && candidate.startsWith(name);
    const distance = isLonger ? 0 : editDistance(name, candidate);
    // Nothing is near to a name of which no character is left.
    const isNear =
      isLonger || (distance <= tolerance && distance < name.length);
    if (isNear && distance < least) [found, least] = [candidate, distance];
  }
  if (found !== undefined) return found;
  const words = wordsOf(name);
  return known.find((candidate) =>
    wordsOf(candidate).some((word) => words.includes(word)),
  );
}

// Of camelCase and of snake_case.
function wordsOf(name: string): string[] {
  return name
    .split(/_|(?=[A-Z])/)
    .filter((word) => word.length > 1)
    .map((word) => word.toLowerCase());
}

/** In insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; ++i) {
    let diagonal = row[0]!;
    row[0] = i + 1;
    for (let j = 0; j < b.length; ++j) {
      const replaced = diagonal + (a[i] === b[j] ? 0 : 1);
      diagonal = row[j + 1]!;
      row[j + 1] = Math.min(replaced, row[j]! + 1, diagonal + 1);
    }
  }
  return row[b.length]!;
}
