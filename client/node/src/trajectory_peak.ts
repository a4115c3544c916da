// Numbers of a verdict and the samples at which they stand.

import { brokenReply } from './errors.js';
import { toNumber, type WireInteger } from './wire.js';

/** A number and the sample at which it stands. */
export interface Peak {
  /** From 0. */
  readonly sample: number;
  /** s. */
  readonly time: number;
  readonly value: number;
  /** It stands between this sample and the next one, at `time`: an extremum of
   * the derived spline. */
  readonly between: boolean;
}

/** What a message does not have. */
export type Absent = null | undefined;

export interface WirePlace {
  sample: WireInteger;
  time: number;
  between: boolean;
}

export interface WirePeak extends WirePlace {
  value: number;
}

function peakOf({ sample, time, value, between }: WirePeak): Peak {
  return { sample: toNumber(sample), time, value, between };
}

export function toPeakIfAny(peak: WirePeak | Absent): Peak | undefined {
  return peak ? peakOf(peak) : undefined;
}

/** What a field holds that every verdict has. */
export function present<T>(value: T | Absent, field: string): T {
  if (value === null || value === undefined) {
    throw brokenReply(`the verdict lacks ${field}`);
  }
  return value;
}

/** The peak of this name. */
export function toPeak<Name extends string>(
  message: { readonly [N in Name]: WirePeak | Absent },
  name: Name,
): Peak {
  return peakOf(present<WirePeak>(message[name], name));
}
