// Whether an argument is the kind of thing that its field takes.

import { badArgument } from './errors.js';

// As a sentence has it: "null", "a list", "a string".
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'object' ? 'an object' : `a ${kind}`;
}

/** The error of a value that is not what its field takes. `wanted` goes on
 * behind "which is no". */
export function wrongKind(
  reason: string,
  field: string,
  value: unknown,
  wanted: string,
): Error {
  return badArgument(
    reason,
    field,
    `${field} is ${kindOf(value)}, which is no ${wanted}`,
  );
}

/** Whether it has fields by name: no list, no typed array, nothing plain. */
export function isRecord(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
  );
}

/** Throws INVALID_OPTION unless it is a record. */
export function checkRecord(value: unknown, field: string): void {
  if (!isRecord(value)) {
    throw wrongKind('INVALID_OPTION', field, value, 'object of options');
  }
}

/** The list itself, an empty one where it is absent. Throws INVALID_OPTION for
 * all else. */
export function listOf<T>(
  value: readonly T[] | undefined,
  field: string,
): readonly T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    throw wrongKind('INVALID_OPTION', field, value, 'list');
  }
  return value;
}

/** The number itself, or undefined. Throws INVALID_OPTION for all else. */
export function numberOf(value: unknown, field: string): number | undefined {
  if (value !== undefined && typeof value !== 'number') {
    throw wrongKind('INVALID_OPTION', field, value, 'number');
  }
  return value;
}

/** The text itself, or undefined. Throws INVALID_OPTION for all else. */
export function textOf(value: unknown, field: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') {
    throw wrongKind('INVALID_OPTION', field, value, 'text');
  }
  return value;
}

/** True or false, or undefined. Throws INVALID_OPTION for all else. */
export function flagOf(value: unknown, field: string): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') {
    throw wrongKind('INVALID_OPTION', field, value, 'boolean');
  }
  return value;
}

/** Copies the numbers of a list or of a typed array; undefined where it is
 * absent. Throws INVALID_OPTION for all else, naming the member at fault. */
export function numbersOf(value: unknown, field: string): number[] | undefined {
  if (value === undefined) return undefined;
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  if (!Array.isArray(value) && !isTyped) {
    throw wrongKind('INVALID_OPTION', field, value, 'list of numbers');
  }
  return Array.from(value as ArrayLike<unknown>, (member, k) => {
    if (typeof member === 'number') return member;
    throw wrongKind('INVALID_OPTION', `${field}[${k}]`, member, 'number');
  });
}
