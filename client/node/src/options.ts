// How states are computed.

import type { DynamicsOptions, QuantityName } from './contract.js';
import {
  checkKind,
  checkNames,
  enumNumber,
  fill,
  isList,
  wrongKind,
} from './message.js';
import { enumType, messageType } from './protocol.js';

/** How a call is made. */
export interface CallOptions {
  /** Milliseconds for the whole call, with all retries; of a large batch, until
   * another part of it is answered. Absent: that of the connection. */
  deadlineMs?: number | undefined;
  /** Ends the call at once; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The names of CallOptions. */
export const CALL_NAMES = ['deadlineMs', 'signal'];

/** Options of `compute` and of the quantities' methods. */
export interface ComputeOptions extends DynamicsOptions, CallOptions {
  /** Called after each part of a batch, and once for one in a single part. */
  progress?: (done: number, total: number) => void;
}

/** EvaluateStart: what to compute. */
export interface WireWhat {
  model: string;
  quantities: number[];
  options: object;
  operationalSpace: object | undefined;
  tipWrenchReferenceFrame?: number;
}

/** The names of what `compute` and checks share. */
export const SHARED_NAMES = [
  ...['Options', 'Terms', 'OperationalSpaceOptions'].flatMap((type) =>
    Object.keys(messageType(type).fields).filter((name) => name !== 'terms'),
  ),
  ...CALL_NAMES,
  'progress',
];
const COMPUTE_NAMES = [...SHARED_NAMES, 'tipWrenchReferenceFrame'];
const quantityType = enumType('Quantity');
const F64 = enumNumber(enumType('Encoding'), 'F64', 'encoding');

/** A message of those options that are its fields; undefined without one. */
function part(
  typeName: string,
  options: object,
  path: string,
): object | undefined {
  const { fields } = messageType(typeName);
  const own = Object.entries(options).filter(
    ([name, value]) => value !== undefined && name in fields,
  );
  return own.length > 0
    ? fill(typeName, Object.fromEntries(own), path)
    : undefined;
}

/** The options of dynamics and of `start`, a message, as messages. Throws for a name
 * outside `names`. */
export function wireOptions(
  start: string,
  options: DynamicsOptions & { progress?: unknown },
  names: readonly string[],
): Omit<WireWhat, 'model' | 'quantities'> {
  checkNames(options, names);
  checkKind('options.progress', options.progress, 'function');
  return {
    options: {
      encoding: F64,
      ...part('Options', options, 'options'),
      terms: part('Terms', options, 'options.terms'),
    },
    operationalSpace: part(
      'OperationalSpaceOptions',
      options,
      'operational_space',
    ),
    ...part(start, options, 'start'),
  };
}

/** Everything but the states. Throws for an unknown option. */
export function wireWhat(
  model: string,
  quantities: readonly QuantityName[],
  options: DynamicsOptions,
): WireWhat {
  if (!isList(quantities)) {
    throw wrongKind('quantities', quantities, 'a list', 'INVALID_FIELD');
  }
  const numbers = quantities.map((name, k) =>
    enumNumber(quantityType, name, `quantities[${k}]`, 'INVALID_FIELD'),
  );
  const parts = wireOptions('EvaluateStart', options, COMPUTE_NAMES);
  return { model, quantities: numbers, ...parts };
}
