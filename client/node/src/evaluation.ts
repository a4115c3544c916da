// What comes out of a computation.

import {
  type Echo,
  type QuantityName,
  type QuantityResults,
  RESULT_TABLES,
  type RowStatus,
} from './contract.js';
import { brokenReply } from './errors.js';
import { enumName, seconds, toNumber, view } from './message.js';
import { enumType, messageType } from './protocol.js';
import { countOf, sizesOf } from './states.js';
import { TableBuilder, type WireArray } from './tables.js';

/** How long the server took, s. */
export interface Timing {
  /** From the arrival of a request to the start of its computing. */
  queue: number;
  /** From there to its last row. */
  compute: number;
}

/** What every result has. */
export interface EvaluationBase {
  /** Number of states. */
  readonly rows: number;
  /** One byte per state: 1 where it is OK, 0 where `rowStatus` says why not. */
  readonly ok: Uint8Array;
  /** Rows that are not OK, ascending; the first 100 000 of them. */
  readonly rowStatus: readonly RowStatus[];
  /** All rows that are not OK. */
  readonly rowsNotOk: number;
  readonly echo: Echo;
  /** Of a batch in several parts the sum over the parts, which overlap. */
  readonly timing: Timing;
}

type Intersection<Union> = (
  Union extends unknown ? (each: Union) => void : never
) extends (all: infer All) => void
  ? All
  : never;

/** The results of the quantities `Q` for all states. */
export type Evaluation<Q extends QuantityName = never> = EvaluationBase &
  ([Q] extends [never] ? unknown : Intersection<QuantityResults[Q]>);

/** A reply of Compute, as decoded. */
export interface WireReply {
  rows: unknown;
  results: Record<string, WireArray | number[] | null> | null;
  rowStatus: object[];
  rowsNotOk: unknown;
  echo: { timing: Record<keyof Timing, object | null> | null } | null;
}

/** What is asked for. */
export interface Asked {
  readonly quantities: readonly QuantityName[];
  /** What the words of a result's shape stand for. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Statuses that are kept; a batch that is wrong throughout has no use for
 * more. */
const MAX_LISTED = 100_000;
const LISTS = messageType('Results').fieldsArray.filter(
  ({ repeated }) => repeated,
);
// Name and shape of the results of each quantity that are tables.
const TABLES = Object.fromEntries(
  Object.entries(RESULT_TABLES).map(([quantity, shapes]) => [
    quantity,
    Object.entries(shapes).filter(
      ([name]) => !LISTS.some((list) => list.name === name),
    ),
  ]),
);

/** Numbers of a reply for each row. */
export function numbersPerRowOf({ quantities, sizes }: Asked): number {
  return quantities
    .flatMap((quantity) => Object.values(RESULT_TABLES[quantity]))
    .reduce((sum, shape) => sum + countOf(shape, sizes), 0);
}

/** Takes the replies of a batch in order. */
export class EvaluationBuilder {
  readonly #rows: number;
  readonly #sizes: Asked['sizes'];
  // Names of results, with the shape of a row.
  readonly #shapes: (readonly [string, string])[];
  readonly #tables: TableBuilder;
  readonly #lists: Record<string, number[]> = {};
  readonly #ok: Uint8Array;
  readonly #rowStatus: RowStatus[] = [];
  readonly #timing: Timing = { queue: 0, compute: 0 };
  #rowsNotOk = 0;
  #echo: object | undefined;

  /** For `rows` states in all. */
  constructor({ quantities, sizes }: Asked, rows: number) {
    this.#rows = rows;
    this.#sizes = sizes;
    this.#tables = new TableBuilder(rows);
    this.#ok = new Uint8Array(rows).fill(1);
    this.#shapes = quantities.flatMap((quantity) => TABLES[quantity]!);
  }

  /** Throws TorquedError where the reply is not what was asked for. */
  add(reply: WireReply, first: number): void {
    const rows = toNumber(reply.rows);
    const { results, echo } = reply;
    for (const [name, shape] of this.#shapes) {
      const array = results?.[name] as WireArray | null;
      if (!array) throw brokenReply(`the reply lacks ${name}`);
      const sizes = sizesOf(shape, this.#sizes);
      const height = sizes.length < 2 ? 1 : sizes[0];
      this.#tables.add(name, array, first, rows, height);
    }
    for (const { name } of LISTS) {
      const list = (results?.[name] ?? []) as number[];
      if (list.length > 0) (this.#lists[name] ??= []).push(...list);
    }
    for (const wire of reply.rowStatus) {
      const status = view<RowStatus>('RowStatus', wire);
      const row = status.row + first;
      this.#ok[row] = 0;
      if (this.#rowStatus.length < MAX_LISTED) {
        this.#rowStatus.push({ ...status, row });
      }
    }
    this.#rowsNotOk += toNumber(reply.rowsNotOk);
    if (!echo) throw brokenReply('the reply does not say what it refers to');
    this.#echo ??= echo;
    for (const name of ['queue', 'compute'] as const) {
      const time = echo.timing?.[name];
      if (time) this.#timing[name] += seconds(time);
    }
  }

  /** The whole; at least one reply has come. */
  build(): EvaluationBase {
    const wire = this.#echo!;
    let echo: Echo | undefined;
    const whole = {
      rows: this.#rows,
      ok: this.#ok,
      rowStatus: this.#rowStatus,
      rowsNotOk: this.#rowsNotOk,
      timing: this.#timing,
      // Made where it is read: it costs more than a state's numbers.
      get echo() {
        return (echo ??= view<Echo>('Echo', wire));
      },
    };
    for (const [name] of this.#shapes) {
      Object.assign(whole, { [name]: this.#tables.table(name) });
    }
    for (const { name, type } of LISTS) {
      const list = this.#lists[name];
      if (list) Object.assign(whole, { [name]: this.#listOf(type, list) });
    }
    return whole;
  }

  #listOf(type: string, list: number[]) {
    if (list.length !== this.#rows) {
      throw brokenReply(
        `the reply has ${list.length} ${type} for ${this.#rows} rows`,
      );
    }
    if (type === 'double') return Float64Array.from(list);
    if (type === 'uint32') return Uint32Array.from(list);
    const names = enumType(type);
    return list.map((number) => enumName(names, number));
  }
}
