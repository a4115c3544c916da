// What is wrong with a description that a server refuses, all at once.

import { TorquedError } from './errors.js';

/** Faults that a message lists; `validateUrdf` has all. */
const LISTED = 20;

/** The failure of a registration; of a refused model with its faults, by the
 * lines of `file`. */
export function withFaults(error: unknown, file: string | undefined): unknown {
  if (!(error instanceof TorquedError) || error.reason !== 'INVALID_MODEL') {
    return error;
  }
  const source = file ?? 'source';
  const faults = error.fieldViolations.map(
    ({ field, description }) =>
      `${field.replace(/^source(?=$|:\d+$)/, () => source)}: ${description}`,
  );
  if (faults.length === 0) return error;
  const total = Math.max(
    Number(error.metadata['errors'] ?? 0) || 0,
    faults.length,
  );
  return error.with(
    total === 1 ? faults.join('') : listOf(faults, total, source),
    file === undefined ? {} : { file },
  );
}

function listOf(
  faults: readonly string[],
  total: number,
  source: string,
): string {
  const lines = [`${source}: ${total} errors`, ...faults.slice(0, LISTED)];
  const shown = lines.length - 1;
  if (total > shown) lines.push(`and ${total - shown} more`);
  return lines.join('\n  ');
}
