// What goes into a computation.

import { badArgument } from './errors.js';
import type { Matrix } from './matrix.js';
import { type JointRows, type Rows, toTable } from './rows_input.js';
import type { SentArray, WireChunk } from './wire.js';

/**
 * One state or many, one row per state. An input of one row serves all states;
 * otherwise all have as many rows. Joint columns follow the model's canonical
 * order unless `jointNames` of the options says otherwise; joint inputs may be
 * given by joint name instead. SI units.
 */
export interface States {
  /** Joint positions, rad or m. Absent only for a robot without joints. */
  q?: JointRows;
  /** Joint velocities, rad/s or m/s. Absent: zeros. */
  v?: JointRows;
  /** Joint accelerations, rad/s^2 or m/s^2. Absent: zeros. */
  a?: JointRows;
  /** Joint torques, N m or N. Needed by what solves for accelerations. */
  tau?: JointRows;
  /** 6 columns (moment; force): what the tip frame's link exerts ON THE
   * ENVIRONMENT, in `tipWrenchReferenceFrame` of the options. Absent: none. */
  tipWrenchOnEnvironment?: Rows;
  /** 6 columns (angular; linear), base axes, about the base's origin: the twist
   * of the base against an inertial frame. Absent: at rest. */
  baseTwist?: Rows;
  /** 6 columns: the rate of baseTwist's components, without gravity. Absent:
   * zeros. */
  baseAcceleration?: Rows;
  /** 6 columns (moment; force) for each of the options' `externalWrenches`:
   * what acts ON THE ROBOT there. Absent: none. */
  externalWrenchesOnRobot?: Rows;
  /** A column for each axis of the task, rad/s^2 and m/s^2. Absent: zeros. */
  taskAcceleration?: Rows;
  /** Joint torques of which the task torque takes what leaves the task alone,
   * N m or N. Absent: zeros. */
  nullSpaceTorque?: JointRows;
  /** 3 columns, base axes, m/s^2: gravity state by state. Absent: that of the
   * options, or the model's. */
  gravity?: Rows;
}

/** What a robot's states are read by. */
export interface StateShape {
  readonly nq: number;
  readonly nv: number;
  /** Joint of each column. */
  readonly jointNames: readonly string[];
  /** Axes of the task. */
  readonly axes: number;
  /** How many external wrenches there are. */
  readonly externalWrenches: number;
}

/** The inputs that are present, as tables. */
export type Inputs = ReadonlyMap<keyof States, Matrix>;

/** Name in the contract. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Throws TorquedError for what is no table of numbers. */
export function readStates(states: States, shape: StateShape): Inputs {
  const { nq, nv, jointNames } = shape;
  const columns: Record<keyof States, number> = {
    q: nq,
    v: nv,
    a: nv,
    tau: nv,
    tipWrenchOnEnvironment: 6,
    baseTwist: 6,
    baseAcceleration: 6,
    externalWrenchesOnRobot: 6 * shape.externalWrenches,
    taskAcceleration: shape.axes,
    nullSpaceTorque: nv,
    gravity: 3,
  };
  const ofJoints = new Set<string>(['q', 'v', 'a', 'tau', 'nullSpaceTorque']);
  for (const name of Object.keys(states)) {
    if (!Object.hasOwn(columns, name)) {
      throw badArgument('INVALID_FIELD', name, `states have no ${name}`);
    }
  }
  const inputs = new Map<keyof States, Matrix>();
  for (const name of Object.keys(columns) as (keyof States)[]) {
    const table = toTable(snake(name), states[name], {
      count: columns[name],
      ...(ofJoints.has(name) ? { jointNames } : {}),
    });
    if (table) inputs.set(name, table);
  }
  return inputs;
}

/** The most rows of any input; 0 without inputs. Throws WRONG_ROW_COUNT where
 * another has neither that many nor one. */
export function countStates(inputs: Inputs): number {
  let rows = 0;
  let longest = '';
  for (const [name, table] of inputs) {
    if (table.rows > rows) [rows, longest] = [table.rows, snake(name)];
  }
  for (const [name, table] of inputs) {
    if (table.rows === 1 || table.rows === rows) continue;
    throw badArgument(
      'WRONG_ROW_COUNT',
      snake(name),
      `${snake(name)} has ${table.rows} rows, ${longest} has ${rows}`,
    );
  }
  return rows;
}

/** Numbers of a state that travel for every row. */
export function numbersPerRow(inputs: Inputs): number {
  let numbers = 0;
  for (const table of inputs.values()) {
    if (table.rows > 1) numbers += table.columns;
  }
  return numbers;
}

/** The given rows as fields of a chunk, without copying; inputs of one row go
 * along whole. */
export function chunkOf(
  inputs: Inputs,
  first: number,
  count: number,
): WireChunk {
  const chunk: WireChunk = {};
  for (const [name, table] of inputs) {
    chunk[name] =
      table.rows === 1 ? sent(table, 0, 1) : sent(table, first, count);
  }
  return chunk;
}

function sent({ data, columns }: Matrix, first: number, count: number): SentArray {
  return {
    columns,
    f64: new Uint8Array(
      data.buffer,
      data.byteOffset + first * columns * 8,
      count * columns * 8,
    ),
  };
}
