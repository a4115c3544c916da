// The contract: messages and enums of torqued.v1, read from its .proto files.

import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

const FILES = [
  'dynamics',
  'errors',
  'model_registry',
  'server_info',
  'trajectory',
];

const directory = fileURLToPath(new URL('./proto/', import.meta.url));
const root = new protobuf.Root();
// Those of google/ come with protobufjs.
root.resolvePath = (_origin, target) =>
  target.startsWith('google/') ? target : directory + target;
root.loadSync(FILES.map((name) => `torqued/v1/${name}.proto`));
root.resolveAll();

/** A message type; its fields are in camelCase. */
export function messageType(name: string): protobuf.Type {
  return root.lookupType(`torqued.v1.${name}`);
}

/** Serializes a message; enums are numbers. */
export function encode(type: protobuf.Type, message: object): Buffer {
  return type.encode(message as protobuf.Message).finish() as Buffer;
}

/** An enum of the contract, its names without their common prefix. */
export class WireEnum<Name extends string> {
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, Name>();

  constructor(type: string, prefix: string) {
    const { values } = root.lookupEnum(`torqued.v1.${type}`);
    for (const [name, number] of Object.entries(values)) {
      const short = name.slice(prefix.length);
      this.#numbers.set(short, number);
      this.#names.set(number, short as Name);
    }
  }

  /** All names but that of what is not specified. */
  get choices(): string[] {
    return [...this.#numbers.keys()].filter((name) => name !== 'UNSPECIFIED');
  }

  /** Undefined for a name that the enum does not have. */
  number(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** Of a number that this version does not know: the number as text. */
  name(number: number): Name {
    return this.#names.get(number) ?? (String(number) as Name);
  }
}

/** One unary or streaming method of a service. */
export interface Method {
  readonly path: string;
  readonly request: protobuf.Type;
  readonly reply: protobuf.Type;
}

function method(service: string, name: string): Method {
  return {
    path: `/torqued.v1.${service}/${name}`,
    request: messageType(`${name}Request`),
    reply: messageType(`${name}Reply`),
  };
}

/** The methods that the client calls. */
export const METHODS = {
  compute: method('Dynamics', 'Compute'),
  evaluate: method('Dynamics', 'Evaluate'),
  checkTrajectory: method('Trajectories', 'CheckTrajectory'),
  registerModel: method('ModelRegistry', 'RegisterModel'),
  validateModel: method('ModelRegistry', 'ValidateModel'),
  getModel: method('ModelRegistry', 'GetModel'),
  listModels: method('ModelRegistry', 'ListModels'),
  deleteModel: method('ModelRegistry', 'DeleteModel'),
  getServerInfo: method('ServerInfo', 'GetServerInfo'),
} as const;
