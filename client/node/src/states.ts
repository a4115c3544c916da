// What goes into a computation.

import { isRecord, wrongKind } from './argument_shape.js';
import { badArgument } from './errors.js';
import { hint } from './near_names.js';
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

interface Input {
  /** Name in the contract. */
  readonly field: string;
  readonly columns: (shape: StateShape) => number;
  /** May be given by joint name. */
  readonly ofJoints: boolean;
}

function jointInput(
  field: string,
  columns = (shape: StateShape) => shape.nv,
): Input {
  return { field, columns, ofJoints: true };
}

function spatialInput(
  field: string,
  columns = (_shape: StateShape) => 6,
): Input {
  return { field, columns, ofJoints: false };
}

const INPUTS: Readonly<Record<keyof States, Input>> = {
  q: jointInput('q', ({ nq }) => nq),
  v: jointInput('v'),
  a: jointInput('a'),
  tau: jointInput('tau'),
  tipWrenchOnEnvironment: spatialInput('tip_wrench_on_environment'),
  baseTwist: spatialInput('base_twist'),
  baseAcceleration: spatialInput('base_acceleration'),
  externalWrenchesOnRobot: spatialInput(
    'external_wrenches_on_robot',
    ({ externalWrenches }) => 6 * externalWrenches,
  ),
  taskAcceleration: spatialInput('task_acceleration', ({ axes }) => axes),
  nullSpaceTorque: jointInput('null_space_torque'),
  gravity: spatialInput('gravity', () => 3),
};

/** Throws TorquedError for what is no table of numbers. */
export function readStates(states: States, shape: StateShape): Inputs {
  if (!isRecord(states)) {
    throw wrongKind('INVALID_FIELD', 'states', states, 'object, as { q }');
  }
  const inputs = new Map<keyof States, Matrix>();
  for (const key of Object.keys(states)) {
    if (!Object.hasOwn(INPUTS, key)) {
      throw badArgument(
        'INVALID_FIELD',
        key,
        `states have no ${key}${hint(key, Object.keys(INPUTS))}`,
      );
    }
    const name = key as keyof States;
    const { field, columns, ofJoints } = INPUTS[name];
    const table = toTable(field, states[name], {
      count: columns(shape),
      jointNames: ofJoints ? shape.jointNames : undefined,
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
    if (table.rows > rows) {
      rows = table.rows;
      longest = INPUTS[name].field;
    }
  }
  for (const [name, table] of inputs) {
    if (table.rows === 1 || table.rows === rows) continue;
    const { field } = INPUTS[name];
    throw badArgument(
      'WRONG_ROW_COUNT',
      field,
      `${field} has ${table.rows} rows, ${longest} has ${rows}`,
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
      table.rows === 1
        ? rowsOfTable(table, 0, 1)
        : rowsOfTable(table, first, count);
  }
  return chunk;
}

/** Rows of a table as they are sent, without copying. */
export function rowsOfTable(
  { data, columns }: Matrix,
  first: number,
  count: number,
): SentArray {
  return {
    columns,
    f64: new Uint8Array(
      data.buffer,
      data.byteOffset + first * columns * 8,
      count * columns * 8,
    ),
  };
}
