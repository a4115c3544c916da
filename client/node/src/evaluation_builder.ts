// Replies put together to one evaluation.

import { brokenReply } from './errors.js';
import {
  type Echo,
  type EvaluationBase,
  type Handover,
  type Timing,
  toEcho,
  toTiming,
} from './evaluation.js';
import { Matrix } from './matrix.js';
import { checkRows, copyNumbers, numbersOf } from './numbers.js';
import { WireEnum } from './protocol.js';
import {
  type QuantityName,
  RESULT_TABLES,
  type TaskRule,
} from './quantities.js';
import { type RowStatus, toRowStatus } from './row_status.js';
import {
  toNumber,
  type WireEcho,
  type WireReply,
  type WireResults,
  type WireTiming,
} from './wire.js';

/** Statuses that are kept; a batch that is wrong throughout has no use for
 * more. */
const MAX_LISTED = 100_000;

const taskRules = new WireEnum<TaskRule>('TaskRule', 'TASK_RULE_');

/** What is asked for. */
export interface Asked {
  readonly quantities: readonly QuantityName[];
  /** Degrees of freedom. */
  readonly joints: number;
  /** Axes of the task. */
  readonly axes: number;
  readonly sigmaMin: boolean;
}

/** Where a reply stands. */
export interface PartPlace {
  /** Its first row in the whole. */
  readonly first: number;
  /** Added to the rows of its statuses, which then count in the call. */
  readonly statusOffset: number;
  /** Of the call's row 0 in the whole: what `ok` is counted from. */
  readonly origin: number;
}

/** Takes the replies of a batch in order. */
export class EvaluationBuilder {
  readonly #asked: Asked;
  readonly #rows: number;
  readonly #tables = new Map<string, Matrix>();
  readonly #ok: Uint8Array;
  readonly #rowStatus: RowStatus[] = [];
  readonly #handovers: Handover[] = [];
  readonly #timing: Timing = { queueMs: 0, computeMs: 0 };
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
  add(
    reply: WireReply,
    echo: WireEcho | null,
    timing: WireTiming | null,
    place: PartPlace,
  ): void {
    const rows = toNumber(reply.rows);
    if (rows > this.#rows - place.first) {
      throw brokenReply(`the reply has ${rows} rows more than were asked for`);
    }
    if (echo) this.#noteEcho(echo, place.first);
    for (const quantity of this.#asked.quantities) {
      for (const [name, shape] of RESULT_TABLES[quantity]) {
        const [height] = shape(this.#asked.joints, this.#asked.axes);
        this.#addTable(name, height, reply.results, rows, place.first);
      }
    }
    this.#addTaskNumbers(reply.results, rows, place.first);
    this.#addStatuses(reply, rows, place);
    const { queueMs, computeMs } = toTiming(timing);
    this.#timing.queueMs += queueMs;
    this.#timing.computeMs += computeMs;
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
      handovers: this.#handovers,
    };
    if (this.#rank) results['rank'] = this.#rank;
    if (this.#rule) results['rule'] = this.#rule;
    if (this.#sigmaMin) results['sigmaMin'] = this.#sigmaMin;
    return results as unknown as EvaluationBase;
  }

  // The first echo counts; later ones come from streams that went on.
  #noteEcho(echo: WireEcho, row: number): void {
    if (!this.#echo) {
      this.#echo = toEcho(echo, this.#timing);
      return;
    }
    const last = this.#handovers.at(-1) ?? this.#echo;
    if (
      echo.target === last.target &&
      echo.serverVersion === last.serverVersion
    ) {
      return;
    }
    this.#handovers.push({
      firstRow: row,
      target: echo.target,
      serverVersion: echo.serverVersion,
    });
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
      for (const rule of take('rule')) this.#rule.push(taskRules.name(rule));
    }
  }

  #addStatuses(reply: WireReply, rows: number, place: PartPlace): void {
    for (const wire of reply.rowStatus) {
      const status = toRowStatus(wire, place.statusOffset);
      const row = status.row - place.origin;
      if (row < place.first || row >= place.first + rows) {
        throw brokenReply(
          `the reply names row ${status.row}, which is none of its rows`,
        );
      }
      this.#ok[row] = 0;
      if (this.#rowStatus.length < MAX_LISTED) this.#rowStatus.push(status);
    }
    this.#rowsNotOk += toNumber(reply.rowsNotOk);
  }
}
