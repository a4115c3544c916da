// Replies put together to one evaluation.

import {
  type Echo,
  type QuantityName,
  RESULT_TABLES,
  type RowStatus,
  type TaskRule,
} from './contract.js';
import { brokenReply } from './errors.js';
import type { EvaluationBase, Timing } from './evaluation.js';
import { Matrix } from './matrix.js';
import { enumName, seconds, toNumber, view } from './message.js';
import {
  checkRows,
  copyNumbers,
  numbersOf,
  type WireArray,
} from './numbers.js';
import { enumType } from './protocol.js';

/** A reply of Compute, as decoded. */
export interface WireReply {
  rows: unknown;
  results: WireResults | null;
  rowStatus: object[];
  rowsNotOk: unknown;
  echo: WireEcho | null;
}

type WireDuration = { seconds: unknown; nanos: number };
type WireTiming = { queue: WireDuration | null; compute: WireDuration | null };

interface WireEcho {
  timing: WireTiming | null;
}

type WireResults = Record<string, WireArray | null | undefined> & {
  rank: number[];
  sigmaMin: number[];
  rule: number[];
};

/** Statuses that are kept; a batch that is wrong throughout has no use for
 * more. */
const MAX_LISTED = 100_000;

const taskRule = enumType('TaskRule');

// Rows of the matrix that a state's numbers are.
function heightOf(shape: string, asked: Asked): number {
  const sizes = sizesOf(shape, asked);
  return sizes.length < 2 ? 1 : sizes[0]!;
}

function sizesOf(shape: string, { joints, axes }: Asked): number[] {
  const known: Record<string, number> = {
    nv: joints,
    links: joints,
    '10links': 10 * joints,
    m: axes,
  };
  return shape
    .split(' ')
    .filter(Boolean)
    .map((word) => known[word] ?? Number(word));
}

/** Numbers of a reply for each row. */
export function numbersPerRowOf(asked: Asked): number {
  let numbers = 0;
  for (const quantity of asked.quantities) {
    for (const shape of Object.values(RESULT_TABLES[quantity])) {
      numbers += sizesOf(shape, asked).reduce((a, b) => a * b, 1);
    }
    if (quantity === 'operationalSpace') numbers += 3;
  }
  return numbers;
}

/** What is asked for. */
export interface Asked {
  readonly quantities: readonly QuantityName[];
  /** Degrees of freedom. */
  readonly joints: number;
  /** Axes of the task. */
  readonly axes: number;
  readonly sigmaMin: boolean;
}

/** Takes the replies of a batch in order. */
export class EvaluationBuilder {
  readonly #asked: Asked;
  readonly #rows: number;
  readonly #tables = new Map<string, Matrix>();
  readonly #ok: Uint8Array;
  readonly #rowStatus: RowStatus[] = [];
  readonly #timing: Timing = { queue: 0, compute: 0 };
  #rank: Uint32Array | undefined;
  #rule: TaskRule[] | undefined;
  #sigmaMin: Float64Array | undefined;
  #rowsNotOk = 0;
  #echo: Echo | undefined;

  /** For `rows` states in all. */
  constructor(asked: Asked, rows: number) {
    this.#asked = asked;
    this.#rows = rows;
    this.#ok = new Uint8Array(rows).fill(1);
    if (asked.quantities.includes('operationalSpace')) {
      this.#rank = new Uint32Array(rows);
      this.#rule = [];
      if (asked.sigmaMin) this.#sigmaMin = new Float64Array(rows);
    }
  }

  /** Throws TorquedError where the reply is not what was asked for. */
  add(reply: WireReply, first: number): void {
    const rows = toNumber(reply.rows);
    const { echo } = reply;
    if (echo) this.#echo ??= view<Echo>('Echo', echo);
    for (const quantity of this.#asked.quantities) {
      for (const [name, shape] of Object.entries(RESULT_TABLES[quantity])) {
        const height = heightOf(shape, this.#asked);
        this.#addTable(name, height, reply.results, rows, first);
      }
    }
    this.#addTaskNumbers(reply.results, rows, first);
    this.#addStatuses(reply, rows, first);
    const timing = echo?.timing;
    this.#timing.queue += timing?.queue ? seconds(timing.queue) : 0;
    this.#timing.compute += timing?.compute ? seconds(timing.compute) : 0;
  }

  /** The whole; at least one reply has come. */
  build(): EvaluationBase {
    if (!this.#echo) throw brokenReply('no reply says what it refers to');
    const results: Record<string, unknown> = {
      rows: this.#rows,
      ...Object.fromEntries(this.#tables),
      ok: this.#ok,
      rowStatus: this.#rowStatus,
      rowsNotOk: this.#rowsNotOk,
      echo: this.#echo,
      timing: this.#timing,
    };
    if (this.#rank) results['rank'] = this.#rank;
    if (this.#rule) results['rule'] = this.#rule;
    if (this.#sigmaMin) results['sigmaMin'] = this.#sigmaMin;
    return results as unknown as EvaluationBase;
  }

  #addTable(
    name: string,
    height: number,
    results: WireResults | null,
    rows: number,
    first: number,
  ): void {
    const array = results?.[name];
    if (!array) throw brokenReply(`the reply lacks ${name}`);
    checkRows(array, rows, name);
    const { columns } = array;
    const rowsOfRow = height > 0 && columns % height === 0 ? height : 1;
    if (rows === this.#rows) {
      const data = numbersOf(array);
      this.#tables.set(name, new Matrix(data, rows, columns, rowsOfRow));
      return;
    }
    let table = this.#tables.get(name);
    if (!table) {
      const data = new Float64Array(this.#rows * columns);
      table = new Matrix(data, this.#rows, columns, rowsOfRow);
      this.#tables.set(name, table);
    }
    if (table.columns !== columns) {
      throw brokenReply(
        `the reply's ${name} has ${columns} columns, ${table.columns} before`,
      );
    }
    copyNumbers(array, table.data, first * columns);
  }

  #addTaskNumbers(
    results: WireResults | null,
    rows: number,
    first: number,
  ): void {
    const take = (name: 'rank' | 'rule' | 'sigmaMin'): number[] => {
      const numbers = results?.[name] ?? [];
      if (numbers.length === rows) return numbers;
      throw brokenReply(
        `the reply's ${name} has ${numbers.length} numbers for ${rows} rows`,
      );
    };
    this.#rank?.set(take('rank'), first);
    this.#sigmaMin?.set(take('sigmaMin'), first);
    if (this.#rule) {
      for (const rule of take('rule')) {
        this.#rule.push(enumName<TaskRule>(taskRule, rule)!);
      }
    }
  }

  #addStatuses(reply: WireReply, rows: number, first: number): void {
    for (const wire of reply.rowStatus) {
      const read = view<RowStatus>('RowStatus', wire);
      if (read.row >= rows) {
        throw brokenReply(
          `the reply names row ${read.row}, which is none of its rows`,
        );
      }
      const status = { ...read, row: read.row + first };
      this.#ok[status.row] = 0;
      if (this.#rowStatus.length < MAX_LISTED) this.#rowStatus.push(status);
    }
    this.#rowsNotOk += toNumber(reply.rowsNotOk);
  }
}
