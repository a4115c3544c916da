// The contract: messages and enums of torqued.v1, read from its .proto files.

import protobuf from 'protobufjs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const FILES = [
  'dynamics',
  'errors',
  'model_registry',
  'server_info',
  'trajectory',
];

const directory = fileURLToPath(new URL('./proto/', import.meta.url));
const root = new protobuf.Root();
const require = createRequire(import.meta.url);
// Those of google/ come with protobufjs.
root.resolvePath = (_origin, target) =>
  target === 'google/protobuf/descriptor.proto'
    ? require.resolve(`protobufjs/${target}`)
    : target.startsWith('google/')
      ? target
      : directory + target;
root.loadSync(FILES.map((name) => `torqued/v1/${name}.proto`));
root.resolveAll();

const types = new Map<string, protobuf.Type>();

/** A message type; its fields are in camelCase. */
export function messageType(name: string): protobuf.Type {
  let type = types.get(name);
  if (!type) types.set(name, (type = root.lookupType(`torqued.v1.${name}`)));
  return type;
}

// As bytes, decoded where it is read: it costs more than a state's numbers.
const reply = messageType('ComputeReply');
const { id } = reply.fields['echo']!;
reply
  .remove(reply.fields['echo']!)
  .add(new protobuf.Field('echo', id, 'bytes'));

/** Serializes a message; enums are numbers. */
export function encode(type: protobuf.Type, message: object): Buffer {
  return type.encode(message as protobuf.Message).finish() as Buffer;
}

/** An enum of the contract. */
export function enumType(name: string): protobuf.Enum {
  return root.lookupEnum(`torqued.v1.${name}`);
}

/** One unary or streaming method of a service. */
export interface Method {
  readonly path: string;
  readonly encode: (message: object) => Buffer;
  readonly decode: (bytes: Buffer) => object;
}

function method(service: string, name: string): Method {
  const request = messageType(`${name}Request`);
  const reply = messageType(`${name}Reply`);
  return {
    path: `/torqued.v1.${service}/${name}`,
    encode: (message) => encode(request, message),
    decode: (bytes) => reply.decode(bytes),
  };
}

/** The methods that the client calls. */
export const METHODS = {
  compute: method('Dynamics', 'Compute'),
  checkTrajectory: method('Trajectories', 'CheckTrajectory'),
  registerModel: method('ModelRegistry', 'RegisterModel'),
  validateModel: method('ModelRegistry', 'ValidateModel'),
  getModel: method('ModelRegistry', 'GetModel'),
  listModels: method('ModelRegistry', 'ListModels'),
  deleteModel: method('ModelRegistry', 'DeleteModel'),
  getServerInfo: method('ServerInfo', 'GetServerInfo'),
} as const;
