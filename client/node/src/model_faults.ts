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
  const total = Number(error.metadata['errors'] ?? faults.length);
  const lines = [`${source}: ${total} errors`, ...faults.slice(0, LISTED)];
  if (total > LISTED) lines.push(`and ${total - LISTED} more`);
  const message = total === 1 ? faults.join('') : lines.join('\n  ');
  return error.with(message || error.message, file ? { file } : {});
}
