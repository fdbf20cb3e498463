import { createHash } from 'node:crypto'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Usual shapes of keys. */
const shapes: readonly ((bytes: Buffer, kind: 'ak' | 'sk') => string)[] = [
  (bytes, kind) => `${kind}_live_${[...bytes.subarray(0, 28)].map((byte) => letters[byte % 62]).join('')}`,
  (bytes) => bytes.toString('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5'),
  (bytes, kind) => bytes.subarray(0, kind === 'ak' ? 16 : 32).toString('hex'),
  (bytes, kind) => bytes.subarray(0, kind === 'ak' ? 18 : 32).toString('base64url'),
]

/** Credentials of every client, by the names of its `CLIENTS` file. */
export type StackCredentials = ReturnType<typeof credentialsOf>

/** Credentials of every client, in one of four usual shapes. The same seed gives the same ones. */
export function credentialsOf(seed: string) {
  const shape = shapes[bytesOf(`${seed} shape`).readUInt8(0) % shapes.length] ?? String
  const clientOf = (name: string) => ({
    apiKey: shape(bytesOf(`${seed} ${name} key`), 'ak'),
    secretKey: shape(bytesOf(`${seed} ${name} secret`), 'sk'),
  })
  return {
    permitted: clientOf('permitted'),
    second: clientOf('second'),
    noCustomer: clientOf('noCustomer'),
    inactive: clientOf('inactive'),
    unauthorized: clientOf('unauthorized'),
    exhausted: clientOf('exhausted'),
  }
}

const bytesOf = (text: string): Buffer => createHash('sha256').update(text).digest()
