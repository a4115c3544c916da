// The numbers of arrays of the wire.

import { brokenReply } from './errors.js';

/** torqued.v1.Array: at most one of its payloads holds rows. */
export interface WireArray {
  columns: number;
  values: number[];
  f64: Uint8Array;
  f32: Uint8Array;
}

/** An array as it is sent. */
export interface SentArray {
  columns: number;
  f64: Uint8Array;
}

/** Inputs as fields of a message. */
export type WireChunk = Record<string, SentArray>;

/** How many numbers the array holds. */
function countNumbers(array: WireArray): number {
  return array.f64.length / 8 + array.f32.length / 4 + array.values.length;
}

function isAligned(bytes: Uint8Array): boolean {
  return bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
}

// What arrives lies at any address, a view of numbers at multiples of eight.
function doublesOf(bytes: Uint8Array): Float64Array {
  const place = isAligned(bytes) ? bytes : Uint8Array.from(bytes);
  return new Float64Array(place.buffer, place.byteOffset, place.length / 8);
}

function singlesOf(bytes: Uint8Array): Float32Array {
  const copy = Uint8Array.from(bytes);
  return new Float32Array(copy.buffer, 0, copy.length / 4);
}

/** Throws unless the array has `rows` whole rows. `name` names it. */
export function checkRows(array: WireArray, rows: number, name: string): void {
  if (countNumbers(array) !== rows * array.columns) {
    throw brokenReply(
      `the reply's ${name} has ${countNumbers(array)} numbers, ` +
        `which are no ${rows} rows of ${array.columns}`,
    );
  }
}

/** A view of what arrived where that is possible, a copy elsewhere. */
export function numbersOf(array: WireArray): Float64Array {
  if (array.f64.length > 0) return doublesOf(array.f64);
  if (array.f32.length > 0) return Float64Array.from(singlesOf(array.f32));
  return Float64Array.from(array.values);
}

/** Writes the numbers to `target` from `first` on, copying them once. */
export function copyNumbers(
  array: WireArray,
  target: Float64Array,
  first: number,
): void {
  if (array.f64.length > 0) {
    new Uint8Array(target.buffer, target.byteOffset + first * 8).set(array.f64);
  } else {
    target.set(numbersOf(array), first);
  }
}
