import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
// A session with the credential, packed by libraries of other languages, in base64.
import recorded from './recorded.json' with { type: 'json' }

/** The credential that is packed. */
export const packedKey = 'ak_live_HuPvbsz8YJEinxxqnoezFVok'

const roles = ['cards:read', 'cards:write']
const session = JSON.stringify({ user: '4711', roles, api_key: packedKey, exp: 1767225600 })
const small = JSON.stringify({ u: 4711, k: packedKey })
const large = JSON.stringify(
  Array.from({ length: 12 }, (_, at) => ({ at, name: `Card face ${at * 7}`, key: packedKey, more: session })),
)

/** A session with the credential, as libraries pack it. */
export const packings: Readonly<Record<string, Buffer>> = {
  'gzip of Node': gzipSync(session),
  'gzip of Node, small': gzipSync(small),
  'gzip of Node, large': gzipSync(large),
  'zlib of Node': deflateSync(session),
  'zlib of Node, level 1': deflateSync(session, { level: 1 }),
  'zlib of Node, small': deflateSync(small),
  'bare deflate of Node': deflateRawSync(session),
  'bare deflate of Node, small': deflateRawSync(small),
  'bare deflate of Node, fixed codes': deflateRawSync(session, { strategy: constants.Z_FIXED }),
  'bare deflate of the credential': deflateRawSync(packedKey.slice(8)),
  'zlib of the credential': deflateSync(packedKey.slice(8)),
  'gzip of the credential': gzipSync(packedKey.slice(8)),
  'brotli of Node': brotliCompressSync(session),
  ...Object.fromEntries(
    Object.entries(recorded).map(([name, written]) => [name, Buffer.from(written, 'base64')]),
  ),
}

const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** How services write packed data. */
export const envelopes: Readonly<Record<string, (packed: Buffer) => string>> = {
  'in base64': base64,
  'in base64url': (packed) => packed.toString('base64url'),
  'in base64 without padding, in a cookie': (packed) =>
    `session=${base64(packed).replaceAll('=', '')}; Path=/; HttpOnly`,
  'in base64url, in a cookie, percent-encoded and signed': (packed) =>
    `connect.sid=s%3A${packed.toString('base64url')}.${encodeURIComponent('k2Jd8+fA1q')}; Path=/`,
  'in base64, percent-encoded': (packed) => `state=${encodeURIComponent(base64(packed))}&lang=de`,
  'in base64, in a path': (packed) => `https://login.example.com/session/${packed.toString('base64url')}`,
  'in base64, after a version': (packed) => `v1_${packed.toString('base64url')}`,
  'in base64, in a data URL': (packed) => `data:;base64,${base64(packed)}`,
  'in base64, in JSON': (packed) => JSON.stringify({ state: base64(packed) }).replaceAll('/', String.raw`\/`),
  'in base64, in JSON, every special character escaped': (packed) =>
    JSON.stringify({ state: base64(packed) }).replaceAll(/[+/=]/g, escapedSign),
  'in base64, in HTML': (packed) =>
    `<input value="${base64(packed).replaceAll(/[+/=]/g, (sign) => `&#${String(sign.charCodeAt(0))};`)}">`,
  'in base64, folded': (packed) => base64(packed).replaceAll(/(.{76})/g, '$1\r\n'),
  'in base64, folded with an indent': (packed) => base64(packed).replaceAll(/(.{20})/g, '$1\n    '),
  'in base64, folded, in JSON': (packed) =>
    JSON.stringify({ state: base64(packed).replaceAll(/(.{64})/g, '$1\n') }),
  'in base64 of base64': (packed) => base64(Buffer.from(base64(packed))),
  'in hexadecimal': (packed) => packed.toString('hex'),
  'in hexadecimal, in capitals, as bytea': (packed) => `\\x${packed.toString('hex').toUpperCase()}`,
  'as a buffer': (packed) => JSON.stringify({ session: packed }),
  'as a typed array': (packed) => JSON.stringify({ session: new Uint8Array(packed) }),
  'as a list with an indent': (packed) => JSON.stringify([...packed], null, 2),
  'as bytes of Java': (packed) => `[${[...new Int8Array(packed)].join(', ')}]`,
}

const escapedSign = (sign: string): string => `\\u00${sign.charCodeAt(0).toString(16)}`
