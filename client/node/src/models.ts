// The robots that a server knows.

import { textOf } from './argument_shape.js';
import {
  CALL_NAMES,
  type CallOptions,
  checkMembers,
  optionEnum,
} from './options.js';
import { messageType, WireEnum } from './protocol.js';

/** What the loader has to say about a model's source; docs/lint.md explains
 * each code. */
export interface Finding {
  readonly severity: 'INFO' | 'WARNING' | 'ERROR';
  readonly code: string;
  /** Joint and link concerned; "" where none is. */
  readonly joint: string;
  readonly link: string;
  /** Line of the source, from 1; 0 where none applies. */
  readonly line: number;
  /** One sentence for a person. */
  readonly message: string;
  /** How often it was found; the fields above tell of the first time. */
  readonly count: number;
  /** The next times, at most 9. */
  readonly morePlaces: readonly FindingPlace[];
}

/** Where in a robot and in its source. */
export interface FindingPlace {
  /** "" where none is concerned. */
  readonly joint: string;
  readonly link: string;
  /** From 1; 0 where no line applies. */
  readonly line: number;
}

/** Whether mass properties that no body has, and joints that move no mass,
 * refuse a model: where an answer follows from them, always, or only where the
 * mass matrix is singular. docs/lint.md says it code by code. */
export type ValidationLevel = 'DEFAULT' | 'STRICT' | 'LENIENT';

/** Of a model's source; UNKNOWN: one that this version does not know. */
export type ModelFormat = 'URDF' | 'UNKNOWN';

/** All findings: errors first, then by line. */
export interface LintReport {
  /** The first 1000. */
  readonly findings: readonly Finding[];
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
}

/** A movable joint. Limits that are undefined do not exist. */
export interface Joint {
  readonly name: string;
  /** Continuous: turning without limits, one number. */
  readonly type: 'REVOLUTE' | 'CONTINUOUS' | 'PRISMATIC';
  /** First column in q, and how many. */
  readonly qIndex: number;
  readonly nq: number;
  /** First column in v, a and tau, and how many. */
  readonly vIndex: number;
  readonly nv: number;
  readonly parentLink: string;
  readonly childLink: string;
  /** Unit vector in the joint frame. */
  readonly axis: readonly number[];
  /** rad or m. */
  readonly lower?: number;
  readonly upper?: number;
  /** rad/s or m/s. */
  readonly velocity?: number;
  /** N m or N. */
  readonly effort?: number;
  /** Viscous friction, N m s/rad or N s/m. */
  readonly damping: number;
  /** Coulomb friction, N m or N. */
  readonly friction: number;
  /** Rotor inertia seen by the joint, kg m^2 or kg. */
  readonly armature: number;
}

/** One revision of a model. */
export interface ModelInfo {
  readonly name: string;
  /** 64 hex digits, the same on every server. */
  readonly revision: string;
  /** As stored. */
  readonly format: ModelFormat;
  /** As registered. */
  readonly validation: ValidationLevel;
  /** BROKEN: stored, but this server cannot load it; `problem` says why. */
  readonly state: 'READY' | 'BROKEN';
  readonly problem: string;
  /** The robot's own name inside the source. */
  readonly robotName: string;
  /** Numbers of q and of v. */
  readonly nq: number;
  readonly nv: number;
  /** In the canonical order: depth-first from the root, siblings by name. */
  readonly joints: readonly Joint[];
  /** All frames (every link is one), root first. */
  readonly frames: readonly string[];
  /** Used where a call names no tip frame; "" where there is none. */
  readonly tipFrame: string;
  /** kg; what is fixed to the base does not count. */
  readonly movingMass: number;
  /** m/s^2, base axes. */
  readonly gravity: readonly number[];
  readonly report: LintReport;
  readonly registeredAt: Date | undefined;
  readonly labels: readonly string[];
}

/** A model in a list. */
export interface ModelSummary {
  readonly name: string;
  readonly revision: string;
  /** As stored. */
  readonly format: ModelFormat;
  readonly state: 'READY' | 'BROKEN';
  readonly problem: string;
  /** 0 where the model is BROKEN. */
  readonly nq: number;
  readonly nv: number;
  readonly registeredAt: Date | undefined;
}

/** What `validateUrdf` finds. */
export interface Validation {
  /** Whether it would be accepted. */
  readonly valid: boolean;
  readonly report: LintReport;
  /** As it would be registered, without a name; undefined when refused. */
  readonly model: ModelInfo | undefined;
}

/** How a description becomes a model; part of its revision. */
export interface UrdfOptions {
  /** Frame used where a call names no tip. Absent: none, unless the model has
   * exactly one leaf link, which then serves. */
  defaultTip?: string;
  /** DEFAULT when absent. */
  validation?: ValidationLevel;
}

/** Options of `deleteModel`. */
export interface DeleteOptions {
  /** The name goes only if this is its current revision; REVISION_CONFLICT
   * otherwise. */
  expectedCurrent?: string;
}

/** Options of a registration. */
export interface RegisterOptions extends UrdfOptions {
  /** A second name for this revision: "panda@label". */
  label?: string;
  /** Where the text comes from: what errors call it in the place of "source". */
  file?: string;
  /** The name moves only if this is its current revision ("": it does not exist
   * yet); REVISION_CONFLICT otherwise. */
  expectedCurrent?: string;
}

export const validations = new WireEnum<ValidationLevel>(
  'Validation',
  'VALIDATION_',
);

const URDF_NAMES: Readonly<Record<keyof UrdfOptions, true>> = {
  defaultTip: true,
  validation: true,
};

const REGISTER_NAMES: Readonly<Record<keyof RegisterOptions, true>> = {
  ...URDF_NAMES,
  label: true,
  file: true,
  expectedCurrent: true,
};

/** RegistrationOptions. Throws for what is no option of `validateUrdf`. */
export function wireUrdfOptions(options: UrdfOptions & CallOptions): object {
  checkMembers(options, { ...URDF_NAMES, ...CALL_NAMES }, 'options');
  return registrationOptions(options);
}

/** The options' fields of a RegisterModelRequest. Throws for what is no option
 * of `registerUrdf`. */
export function wireRegisterOptions(
  options: RegisterOptions & CallOptions,
): object {
  checkMembers(options, { ...REGISTER_NAMES, ...CALL_NAMES }, 'options');
  textOf(options.file, 'options.file');
  return {
    options: registrationOptions(options),
    label: textOf(options.label, 'options.label') ?? '',
    ...wireExpectedCurrent(options),
  };
}

/** Of a DeleteModelRequest. Throws for what is no option of `deleteModel`. */
export function wireDeleteOptions(
  options: DeleteOptions & CallOptions,
): object {
  checkMembers(options, { expectedCurrent: true, ...CALL_NAMES }, 'options');
  return wireExpectedCurrent(options);
}

function registrationOptions(options: UrdfOptions): object {
  return {
    defaultTip: textOf(options.defaultTip, 'options.defaultTip') ?? '',
    validation: optionEnum(validations, options.validation, 'validation'),
  };
}

// Left out it would let the name move whatever it stands for.
function wireExpectedCurrent({ expectedCurrent }: DeleteOptions): object {
  const expected = textOf(expectedCurrent, 'options.expectedCurrent');
  return expected === undefined ? {} : { expectedCurrent: expected };
}

interface WireTimestamp {
  seconds: number;
  nanos: number;
}

const ModelInfoMessage = messageType('ModelInfo');
const ModelSummaryMessage = messageType('ModelSummary');
const LintReportMessage = messageType('LintReport');

const PLAIN = { longs: Number, defaults: true, arrays: true };

const severities = new WireEnum<Finding['severity']>('Severity', 'SEVERITY_');
const jointTypes = new WireEnum<Joint['type']>('JointType', 'JOINT_TYPE_');
const states = new WireEnum<ModelInfo['state']>('ModelState', 'MODEL_STATE_');
const formats = new WireEnum<string>('ModelFormat', 'MODEL_FORMAT_');

/** A message with its enums as numbers. */
type Numbered<T, Enums extends keyof T> = Omit<T, Enums> & {
  readonly [Name in Enums]: number;
};

interface PlainReport extends Omit<LintReport, 'findings'> {
  readonly findings: readonly Numbered<Finding, 'severity'>[];
}

function dateOf(timestamp: WireTimestamp | null | undefined): Date | undefined {
  if (!timestamp) return undefined;
  return new Date(timestamp.seconds * 1000 + timestamp.nanos / 1e6);
}

function tidyReport(report: PlainReport): LintReport {
  return {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      severity: severities.name(finding.severity),
      count: Math.max(finding.count, 1),
    })),
  };
}

function tidyFormat(format: number): ModelFormat {
  return formats.name(format) === 'URDF' ? 'URDF' : 'UNKNOWN';
}

/** DEFAULT for what an older server does not say and for a level that this
 * version does not know. */
export function tidyValidation(name: string): ValidationLevel {
  return name === 'STRICT' || name === 'LENIENT' ? name : 'DEFAULT';
}

/** From a decoded LintReport; empty where there is none. */
export function toLintReport(message: object | null): LintReport {
  const type = LintReportMessage;
  return tidyReport(
    type.toObject(type.fromObject(message ?? {}), PLAIN) as PlainReport,
  );
}

/** From a decoded ModelInfo. */
export function toModelInfo(message: object): ModelInfo {
  const type = ModelInfoMessage;
  const { format, options, ...model } = type.toObject(
    type.fromObject(message),
    PLAIN,
  );
  return {
    ...model,
    format: tidyFormat(format),
    validation: tidyValidation(validations.name(options?.validation ?? 0)),
    state: states.name(model['state']),
    joints: model['joints'].map((joint: Numbered<Joint, 'type'>) => ({
      ...joint,
      type: jointTypes.name(joint.type),
    })),
    report: model['report'] ? tidyReport(model['report']) : toLintReport(null),
    registeredAt: dateOf(model['registeredAt']),
  } as ModelInfo;
}

/** From a decoded ModelSummary. */
export function toModelSummary(message: object): ModelSummary {
  const type = ModelSummaryMessage;
  const model = type.toObject(type.fromObject(message), PLAIN);
  return {
    ...model,
    format: tidyFormat(model['format']),
    state: states.name(model['state']),
    registeredAt: dateOf(model['registeredAt']),
  } as ModelSummary;
}
