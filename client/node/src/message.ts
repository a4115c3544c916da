// Messages of the server as plain objects, and objects of a caller as messages.

import protobuf from 'protobufjs';
import { badArgument } from './errors.js';
import { Matrix } from './matrix.js';
import { hint } from './near_names.js';
import { checkRows, numbersOf, type WireArray } from './numbers.js';
import { messageType } from './protocol.js';

/** A 64-bit integer as protobufjs decodes it; exact up to 2^53. */
export function toNumber(integer: unknown): number {
  return typeof integer === 'number'
    ? integer
    : (integer as { toNumber(): number }).toNumber();
}

/** Seconds of a Duration or a Timestamp. */
export function seconds(time: { seconds: unknown; nanos: number }): number {
  return toNumber(time.seconds) + time.nanos / 1e9;
}

// "JOINT_TYPE_REVOLUTE" -> "REVOLUTE".
function shortName(type: protobuf.Enum, name: string): string {
  const prefix = `${snakeName(type.name)}_`.toUpperCase();
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** "tipFrame" -> "tip_frame". */
export function snakeName(name: string): string {
  return name.replace(
    /[A-Z]/g,
    (letter, at) => (at > 0 ? '_' : '') + letter.toLowerCase(),
  );
}

/** "PATH_A" -> "pathA". */
export function camelName(name: string): string {
  return name
    .toLowerCase()
    .replace(/_[a-z0-9]/g, (pair) => pair.slice(1).toUpperCase());
}

/** The name of an enum's value: undefined for 0, the number as text for one that
 * this version does not know. */
export function enumName<Name extends string>(
  type: protobuf.Enum,
  number: number,
): Name | undefined {
  if (number === 0) return undefined;
  const name = type.valuesById[number];
  return (name === undefined ? String(number) : shortName(type, name)) as Name;
}

/** The number of a name in any case. Throws with the names that there are. */
export function enumNumber(
  type: protobuf.Enum,
  name: unknown,
  path: string,
  reason = 'INVALID_OPTION',
): number {
  const choices = new Map<string, number>();
  for (const [full, number] of Object.entries(type.values)) {
    if (number !== 0) choices.set(shortName(type, full), number);
  }
  if (typeof name === 'string') {
    const wanted = snakeName(name).toUpperCase().replaceAll('-', '_');
    const plain = name.toUpperCase().replaceAll('-', '_');
    // "cubic" is enough for CUBIC_SPLINE.
    const near = [...choices.keys()].filter((choice) =>
      choice.startsWith(`${plain}_`),
    );
    const number =
      choices.get(plain) ??
      choices.get(wanted) ??
      (near.length === 1 ? choices.get(near[0]!) : undefined);
    if (number !== undefined) return number;
  }
  const listed = [...choices.keys()].join(', ');
  throw badArgument(
    reason,
    path,
    `${path} is ${shown(name)}; there are ${listed}`,
  );
}

/** Undefined for an absent option. */
function optionOf(field: protobuf.Field, name: string): string | undefined {
  return field.options?.[`(${name})`] as string | undefined;
}

/**
 * A decoded message as a plain object: enums by name, absent fields undefined (a
 * limit: infinite), times in seconds, timestamps as dates, tables as matrices.
 */
export function view<T>(typeName: string, message: object): T {
  return viewOf(messageType(typeName), message) as T;
}

function viewOf(type: protobuf.Type, message: object): object {
  const values = message as Record<string, unknown>;
  return Object.fromEntries(
    type.fieldsArray.map((field) => [field.name, viewed(field, values)]),
  );
}

function viewed(
  field: protobuf.Field,
  message: Record<string, unknown>,
): unknown {
  field.resolve();
  const value = message[field.name];
  if (field.repeated) {
    return (value as unknown[]).map((each) => viewedOne(field, each));
  }
  // Those of the prototype are defaults.
  if (field.partOf && !Object.hasOwn(message, field.name)) {
    const absent = optionOf(field, 'absent');
    return absent === undefined
      ? undefined
      : absent === 'inf'
        ? Infinity
        : -Infinity;
  }
  return value === null || value === undefined
    ? undefined
    : viewedOne(field, value);
}

function viewedOne(field: protobuf.Field, value: unknown): unknown {
  const type = field.resolvedType;
  if (type instanceof protobuf.Enum) return enumName(type, value as number);
  if (type instanceof protobuf.Type) {
    const { name } = type;
    const time = value as { seconds: unknown; nanos: number };
    if (name === 'Timestamp') return new Date(seconds(time) * 1000);
    if (name === 'Duration') return seconds(time);
    if (name === 'Array') return matrixOf(value as WireArray, field.name);
    return viewOf(type, value as object);
  }
  return typeof value === 'object' && !(value instanceof Uint8Array)
    ? toNumber(value)
    : value;
}

/** The rows of an array. */
export function matrixOf(array: WireArray, name: string): Matrix {
  const data = numbersOf(array);
  const rows = array.columns === 0 ? 0 : data.length / array.columns;
  checkRows(array, rows, name);
  return new Matrix(data, rows, array.columns);
}

// --- What a caller gives ---------------------------------------------------------

/** As a sentence has it: "null", "a list", "'up'". */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`;
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** The error of a value that is not what its field accepts. */
export function wrongKind(
  reason: string,
  path: string,
  value: unknown,
  wanted: string,
): Error {
  return badArgument(
    reason,
    path,
    `${path} accepts ${wanted}, not ${shown(value)}`,
  );
}

/** Throws unless it has fields by name. */
export function checkRecord(value: unknown, path: string): void {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    ArrayBuffer.isView(value)
  ) {
    throw wrongKind('INVALID_OPTION', path, value, 'an object');
  }
}

/** Throws for what is not a record, and for a name that is not one of `names`. */
export function checkNames(
  value: object,
  names: readonly string[],
  path = 'options',
): void {
  checkRecord(value, path);
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      throw badArgument(
        'INVALID_OPTION',
        `${path}.${name}`,
        `there is no option ${name}${hint(name, names)}`,
      );
    }
  }
}

/** A message from an object with its fields. Throws INVALID_OPTION with the path of
 * what is unknown or of another kind. */
export function fill(typeName: string, given: object, path: string): object {
  return filled(messageType(typeName), given, path);
}

function filled(type: protobuf.Type, given: object, path: string): object {
  checkNames(given, Object.keys(type.fields), path);
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        filledField(type.fields[name]!, value, `${path}.${snakeName(name)}`),
      ]),
  );
}

function filledField(
  field: protobuf.Field,
  value: unknown,
  path: string,
): unknown {
  field.resolve();
  if (!field.repeated) return filledOne(field, value, path);
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  if (!Array.isArray(value) && !isTyped) {
    throw wrongKind('INVALID_OPTION', path, value, 'a list');
  }
  return Array.from(value as ArrayLike<unknown>, (one, k) =>
    filledOne(field, one, `${path}[${k}]`),
  );
}

function filledOne(
  field: protobuf.Field,
  value: unknown,
  path: string,
): unknown {
  const type = field.resolvedType;
  if (type instanceof protobuf.Enum) return enumNumber(type, value, path);
  if (type instanceof protobuf.Type) {
    return filled(type, value as object, path);
  }
  const kind =
    field.type === 'string'
      ? 'string'
      : field.type === 'bool'
        ? 'boolean'
        : 'number';
  if (typeof value === kind) return value;
  throw wrongKind('INVALID_OPTION', path, value, `a ${kind}`);
}
