// Messages of the server as plain objects, and objects of a caller as messages.

import { inspect } from 'node:util';
import protobuf from 'protobufjs';
import { badArgument } from './errors.js';
import { messageType } from './protocol.js';

/** A 64-bit integer as protobufjs decodes it; exact up to 2^53. */
export function toNumber(integer: unknown): number {
  return typeof integer === 'number'
    ? integer
    : (integer as { toNumber(): number }).toNumber();
}

/** "tipFrame" -> "tip_frame". */
export function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** "PATH_A" -> "pathA". */
export function camelName(name: string): string {
  return protobuf.util.camelCase(name.toLowerCase());
}

const prefixOf = (type: protobuf.Enum) =>
  `${snakeName(type.name).slice(1)}_`.toUpperCase();

/** "REVOLUTE" of JOINT_TYPE_REVOLUTE. */
function shortName(type: protobuf.Enum, name: string): string {
  const prefix = prefixOf(type);
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The name of an enum's value: undefined for 0, the number as text for one that
 * this version does not know. */
export function enumName(
  type: protobuf.Enum,
  number: number,
): string | undefined {
  if (number === 0) return undefined;
  return shortName(type, type.valuesById[number] ?? String(number));
}

/** The number of a name in any case, or of its first words: "cubic" is enough
 * for CUBIC_SPLINE. Throws with the names that there are. */
export function enumNumber(
  type: protobuf.Enum,
  name: unknown,
  path: string,
  reason = 'INVALID_OPTION',
): number {
  const word = String(name)
    .replace(/([a-z])([A-Z])|-/g, '$1_$2')
    .toUpperCase();
  const number = type.values[prefixOf(type) + word];
  if (number) return number;
  const others = Object.keys(type.values).filter((one) => type.values[one]);
  const near = others.filter((one) =>
    one.startsWith(`${prefixOf(type)}${word}_`),
  );
  if (near.length === 1) return type.values[near[0]!]!;
  const names = others.map((one) => shortName(type, one)).join(', ');
  const message = `${path} is ${shown(name)}; there are ${names}`;
  throw badArgument(reason, path, message);
}

/** A decoded message as a plain object: enums by name, absent fields undefined (a
 * limit: infinite), times in seconds, timestamps as dates. */
export function view<T>(typeName: string, message: object): T {
  return viewOf(messageType(typeName), message) as T;
}

function viewOf(type: protobuf.Type, message: object): object {
  return Object.fromEntries(
    type.fieldsArray.map((field) => [
      field.name,
      valueOf(field.resolve(), message as Record<string, unknown>),
    ]),
  );
}

function valueOf(
  field: protobuf.Field,
  message: Record<string, unknown>,
): unknown {
  const { name } = field;
  const value = message[name];
  if (field.repeated) return (value as []).map((one) => oneOf(field, one));
  // Those of the prototype are defaults.
  if (field.partOf && !Object.hasOwn(message, name)) {
    const limit = field.options?.['(absent)'] as string | undefined;
    return limit && (limit === 'inf' ? Infinity : -Infinity);
  }
  return value === null ? undefined : oneOf(field, value);
}

function oneOf(field: protobuf.Field, value: unknown): unknown {
  const type = field.resolvedType;
  if (field.map) return { ...(value as object) };
  if (type instanceof protobuf.Enum) return enumName(type, value as number);
  if (type instanceof protobuf.Type) {
    if (type.name === 'Duration') return seconds(value);
    if (type.name === 'Timestamp') return new Date(seconds(value) * 1000);
    return viewOf(type, value as object);
  }
  return /64$/.test(field.type) ? toNumber(value) : value;
}

/** Seconds of a Duration or a Timestamp. */
export function seconds(value: unknown): number {
  const time = value as { seconds: unknown; nanos: number };
  return toNumber(time.seconds) + time.nanos / 1e9;
}

// --- A value of a caller ---------------------------------------------------------

const shown = (value: unknown) =>
  inspect(value, { depth: 0, maxArrayLength: 3, maxStringLength: 60 });

/** The error of a value that is not what its field accepts. */
export function wrongKind(
  path: string,
  value: unknown,
  wanted: string,
  reason = 'INVALID_OPTION',
): Error {
  const message = `${path} accepts ${wanted}, not ${shown(value)}`;
  return badArgument(reason, path, message);
}

/** Throws unless it is absent or of the kind that `typeof` tells. */
export function checkKind(path: string, value: unknown, kind: string): void {
  if (value === undefined) return;
  if (typeof value === kind && !Number.isNaN(value)) return;
  throw wrongKind(path, value, `a ${kind}`);
}

/** Whether it is an array, or typed numbers. */
export function isList(value: unknown): value is ArrayLike<unknown> {
  if (Array.isArray(value)) return true;
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/** Throws unless it has fields by name, all of them among `names`. */
export function checkNames(
  value: object,
  names: readonly string[],
  path = 'options',
  reason = 'INVALID_OPTION',
): void {
  if (typeof value !== 'object' || value === null || isList(value)) {
    throw wrongKind(path, value, 'an object');
  }
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const field = `${path}.${name}`;
    const why = `does not exist; there are ${names.join(', ')}`;
    throw badArgument(reason, field, `${field} ${why}`);
  }
}

/** A message from an object with its fields. Throws INVALID_OPTION with the path of
 * what is unknown or of another kind. */
export function fill(typeName: string, given: object, path: string): object {
  return filled(messageType(typeName), given, path);
}

function filled(type: protobuf.Type, given: object, path: string): object {
  checkNames(given, Object.keys(type.fields), path);
  const message: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = type.fields[name]!.resolve();
    const at = `${path}.${snakeName(name)}`;
    if (!field.repeated) {
      message[name] = filledOne(field, value, at);
    } else if (isList(value)) {
      message[name] = Array.from(value, (one, k) =>
        filledOne(field, one, `${at}[${k}]`),
      );
    } else {
      throw wrongKind(at, value, 'a list');
    }
  }
  return message;
}

function filledOne(
  field: protobuf.Field,
  value: unknown,
  path: string,
): unknown {
  const type = field.resolvedType;
  if (type instanceof protobuf.Enum) return enumNumber(type, value, path);
  if (type instanceof protobuf.Type) return filled(type, value as object, path);
  const kind = { string: 'string', bool: 'boolean' }[field.type] ?? 'number';
  if (typeof value === kind) return value;
  throw wrongKind(path, value, `a ${kind}`);
}
