// How states are computed.

import {
  type DynamicsOptions,
  OPTION_PLACES,
  type QuantityName,
} from './contract.js';
import { checkNames, enumNumber, fill, wrongKind } from './message.js';
import { enumType } from './protocol.js';

/** How a call is made. */
export interface CallOptions {
  /** Milliseconds for the whole call, with all retries; of a large batch, until
   * another part of it is answered. Absent: that of the connection. */
  deadlineMs?: number;
  /** Ends the call at once; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The names of CallOptions. */
export const CALL_NAMES = ['deadlineMs', 'signal'] as const;

/** Options of `compute` and of the quantities' methods. */
export interface ComputeOptions extends DynamicsOptions, CallOptions {
  /** Called after each part of a batch, and once for one in a single part. */
  progress?: (done: number, total: number) => void;
  /** Most states of one message; a larger batch travels in parts. Absent: that of
   * the connection. */
  chunkRows?: number;
}

/** EvaluateStart: what to compute. */
export interface WireWhat {
  model: string;
  quantities: number[];
  options: object;
  operationalSpace?: object;
  tipWrenchReferenceFrame?: number;
}

const DYNAMICS_NAMES = Object.keys(OPTION_PLACES);

/** The options of dynamics as messages. Throws for what is no option, but for the
 * names in `more`. */
export function wireOptions(
  options: DynamicsOptions,
  more: readonly string[],
): Omit<WireWhat, 'model' | 'quantities'> {
  checkNames(options, [...DYNAMICS_NAMES, ...more]);
  const parts = {
    options: {} as Record<string, unknown>,
    terms: {},
    operationalSpace: {},
    start: {},
  };
  for (const [name, place] of Object.entries(OPTION_PLACES)) {
    const value = options[name as keyof DynamicsOptions];
    if (value !== undefined) Object.assign(parts[place], { [name]: value });
  }
  const task = fill(
    'OperationalSpaceOptions',
    parts.operationalSpace,
    'operational_space',
  );
  return {
    options: {
      ...fill('Options', { encoding: 'F64', ...parts.options }, 'options'),
      terms: fill('Terms', parts.terms, 'options.terms'),
    },
    operationalSpace: task,
    ...fill('EvaluateStart', parts.start, 'start'),
  };
}

const OF_THE_TASK: readonly string[] = [
  'operationalSpace',
  'taskProjection',
  'taskTorque',
];

/** Everything but the states. Throws for what is no option. */
export function wireWhat(
  model: string,
  quantities: readonly QuantityName[],
  options: DynamicsOptions,
): WireWhat {
  if (!Array.isArray(quantities)) {
    throw wrongKind('INVALID_FIELD', 'quantities', quantities, 'a list');
  }
  const type = enumType('Quantity');
  const numbers = quantities.map((name, k) =>
    enumNumber(type, name, `quantities[${k}]`, 'INVALID_FIELD'),
  );
  const { operationalSpace, ...rest } = wireOptions(options, [
    ...CALL_NAMES,
    'progress',
    'chunkRows',
  ]);
  return {
    model,
    quantities: numbers,
    ...rest,
    ...(quantities.some((name) => OF_THE_TASK.includes(name))
      ? { operationalSpace }
      : {}),
  };
}

/** The function itself, or undefined. Throws INVALID_OPTION for all else. */
export function checkedProgress<Progress>(progress: Progress): Progress {
  if (progress === undefined || typeof progress === 'function') return progress;
  throw wrongKind('INVALID_OPTION', 'options.progress', progress, 'a function');
}

/** A number or undefined, by its name. */
export function checkedNumber(
  value: unknown,
  name: string,
): number | undefined {
  if (value === undefined || (typeof value === 'number' && !isNaN(value))) {
    return value;
  }
  throw wrongKind('INVALID_OPTION', `options.${name}`, value, 'a number');
}

/** A text or undefined, by its name. */
export function checkedText(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw wrongKind('INVALID_OPTION', `options.${name}`, value, 'a string');
}

/** The axes of the task of a call. */
export function axesOf({ axes }: DynamicsOptions): number {
  return axes?.length || 6;
}
