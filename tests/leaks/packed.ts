import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/** The credential that is packed. */
export const packedKey = 'ak_live_HuPvbsz8YJEinxxqnoezFVok'

const session = JSON.stringify({
  user: '4711',
  roles: ['cards:read', 'cards:write'],
  api_key: packedKey,
  exp: 1767225600,
})
const small = JSON.stringify({ u: 4711, k: packedKey })
const large = JSON.stringify(
  Array.from({ length: 12 }, (_, at) => ({ at, name: `Card face ${at * 7}`, key: packedKey, more: session })),
)

/** A session with the credential as the libraries of other languages packed it, in base64. */
const recorded: Readonly<Record<string, string>> = {
  'zlib of Python, level 1':
    'eAE1zE0LgkAUheG/InfdQsU03RsiEREpRIRMeoNBmbF7/crov+dQLd8Dz3lBz0gQWeAFjgMrC0g3yMtwgVJQxRGhqMz+rZFkh3BdWrSyqPFpqKiLRg5YJP1huPG8OaexVNP0UBrnba5rwxlLwu4v+CfYk2NYnmy+7+Jsnx6znMZWhYMROLXLuRP4geuufdt+fwCwgjdR',
  'zlib of Python, level 9':
    'eNo1y00LgkAUheG/InfdQsU03RsiEREpRIRMeoNBmbF7/crov+dQLc/LeV7QMxJEFniB48DKAtIN8hIuUAqqOCIUlenfNZLsEK7LFq0sanwaKuqikQMWSX8Ybjxvzmks1TQ9lMZ5m+vacMaSsPsL/gn25BiWJ5vvuzjbp8csp7FV4WAETu1ydQI/cN21b9vvD7CCN1E=',
  'gzip of Python':
    'H4sIAADxU2UC/zXLTQuCQBSF4b8id91CxTTdGyIRESlEhEx6g0GZsXv9yui/51Atz8t5XtAzEkQWeIHjwMoC0g3yEi5QCqo4IhSV6d81kuwQrssWrSxqfBoq6qKRAxZJfxhuPG/OaSzVND2Uxnmb69pwxpKw+wv+CfbkGJYnm++7ONunxyynsVXhYARO7XJ1Aj9w3bVv2+8PGMexPqwAAAA=',
  'bare deflate of Python':
    'NctNC4JAFIXhvyJ33ULFNN0bIhERKUSETHqDQZmxe/3K6L/nUC3Py3le0DMSRBZ4gePAygLSDfISLlAKqjgiFJXp3zWS7BCuyxatLGp8GirqopEDFkl/GG48b85pLNU0PZTGeZvr2nDGkrD7C/4J9uQYlieb77s426fHLKexVeFgBE7tcnUCP3DdtW/b7w8=',
  'codes of Huffman alone of Python':
    'BcHdCoJAEAbQVxm+671Qscy9NyIiIjKIiGXTCZYVtZ38qejdO+eLQThAE9IsjqEIoWtYoOmKyoZadGBbQxEqG2rRU3Avxk0RbO+M5zc0wXrTuJHNZjiMd/msLtvCtfP8bDv+rM+dhyIIV4FfxvMbmiDeNG5kI6mb8uoUyWNXlPvtsTyHqW/zEYrAcw9NcbbMkmSxjKLfHw==',
  'zlib of Python, flushed between':
    'eJyqViotTi1SslJQMjE3NFTSUVAqys9JLQYKRCslJxalFFsVpSamgMQhvPKizJJUpVggP7EgMz47tRKkNTE7PiezLDXeozQAAAAA//8rSyqusoj0cs3Mq6gozMtPrXILy88GaS9OTS5KLYHpKIbqKDbJLLdMDjEoTvNxDfXzCgoNKyovyLMsA+lIrSgAKjU0NzM3MjI1MzCoBQCwgjdR',
  'gzip of Java':
    'H4sIAAAAAAAA/zXLTQuCQBSF4b8id91CxTTdGyIRESlEhEx6g0GZsXv9yui/51Atz8t5XtAzEkQWeIHjwMoC0g3yEi5QCqo4IhSV6d81kuwQrssWrSxqfBoq6qKRAxZJfxhuPG/OaSzVND2Uxnmb69pwxpKw+wv+CfbkGJYnm++7ONunxyynsVXhYARO7XJ1Aj9w3bVv2+8PGMexPqwAAAA=',
  'bare deflate of Java':
    'NctNC4JAFIXhvyJ33ULFNN0bIhERKUSETHqDQZmxe/3K6L/nUC3Py3le0DMSRBZ4gePAygLSDfISLlAKqjgiFJXp3zWS7BCuyxatLGp8GirqopEDFkl/GG48b85pLNU0PZTGeZvr2nDGkrD7C/4J9uQYlieb77s426fHLKexVeFgBE7tcnUCP3DdtW/b7w8=',
  'an object of Java, in gzip':
    'H4sIAAAAAAAA/zXLwUrDQBAG4LVSar158Vz2LCUptbG96KWhllpEbEFE4pqMZE3IrjObZK34Rn0J8Qm8+g6+g1nUOQzz/8y3/WZtQnbwJCrRL43M+zNB6YXQ7c7X+8fh/ecua4VsP1ciCUVsFJ6zrkkRKFV5YvXpGXOzU+81u+UuwzoERFIVhm1feUmAfNLjw8D3+VGPo8qBmuKWxwITmiCIxPW/qUZpgN81WWgZZfDiqMiiXFYQzcrL6oE2JzfzqSysfS4UbMK1yhwniBHMv6A/QUNZj+Nrjx4X09VyfrVaY62LceUEWN28+sEoGAyOR573Zn8AEq3dLgsBAAA=',
  'deflate of Go, level 1':
    'LMrPqoJAFAfgd/mtZ6Hi1evsvVwkIiKFiBgmPcGgqJ3jv4zevYUtP/heGIUYGmHs+1DgriGBvqC0XIlmshUUNszsBsJVwfbO1PSEhq1N4yYy/+Nhusn6e85S1y7Lo+1o/Su6GgpCJdNgti/fL6Gbk/LkyX2X5vvsmBc8920yQYGWHtqPozgIfiLPe38CAAD//w==',
  'deflate of Go, level 6':
    'LMrPqoJAFAfgd/mtZ6Hi1evsjZCIiBQiQiY9waConeO/jN69zSw/+D6YhBgaYez7UOC+JYG+oTJci2YyNZTDwnYk3BXMYMuG3tAwTdnamcr9dJofsv1fs9R26/rqetp2Rd9AQahiGt0X9yW0S1JdPHke0vyYnfOCl6FLZijQOkD7cRQHwV/ked9fAAAA//8=',
  'codes of Huffman alone of Go':
    'BMDdaoMwFAfwd/lf50LF6cy9Y8gYY0xhjBHSeAohovYcjR+l797fHasQQyMv0xQKPA0k0H9wlnvRTLaHgrPci97YL4R/BTt7E+iAhg1m8JHM+/oVL3K+/ja1H/f9Nk50vnVTgIKQY1pMoAMaEszgIxnJ/Va5n0SuH3X72Xy3HW/zWEUo0D5Dp2VRZtlLkSSPZwAAAP//',
  'gzip of Go':
    'H4sIAAAAAAAA/yzKz6qCQBQH4Hf5rWeh4tXr7I2QiIgUIkImPcGgqJ3jv4zevc0sP/g+mIQYGmHs+1DgviWBvqEyXItmMjWUw8J2JNwVzGDLht7QME3Z2pnK/XSaH7L9X7PUduv66nradkXfQEGoYhrdF/cltEtSXTx5HtL8mJ3zgpehS2Yo0DpA+3EUB8Ff5HnfXwAAAP//UV7rGKIAAAA=',
  'zlib of Go':
    'eJwsys+qgkAUB+B3+a1noeLV6+yNkIiIFCJCJj3BoKid47+M3r3NLD/4PpiEGBph7PtQ4L4lgb6hMlyLZjI1lMPCdiTcFcxgy4be0DBN2dqZyv10mh+y/V+z1Hbr+up62nZF30BBqGIa3Rf3JbRLUl08eR7S/Jid84KXoUtmKNA6QPtxFAfBX+R5318AAAD//02/NhE=',
  'deflate of the credential, of Go': '8igNKEsqrrKI9HLNzKuoKMzLT61yC8vPBgQAAP//',
  'zlib of the credential, of Go': 'eJzyKA0oSyqusoj0cs3Mq6gozMtPrXILy88GBAAA//9y/Ald',
  'bare deflate of PHP':
    'LctNC4JAFIXh/3LXLlRMc/ZGSEREChEhk95gGNHpXj8mo//eQC7P4Xk/MDISCIiSIAAPqG+RQdygltSwIJSNe/9jJjUg3D2QRlUa366SumrVhNV+PE0PXrbXPFOdta+ux2VX9tq1jDXhsHpePUdqTuuLz89DVhzzc1HSbLp0ch6tAREkcRKGm9j3vz8=',
}

/** A session with the credential, as libraries pack it. */
export const packings: Readonly<Record<string, Buffer>> = {
  'gzip of Node': gzipSync(session),
  'gzip of Node, little': gzipSync(small),
  'gzip of Node, much': gzipSync(large),
  'zlib of Node': deflateSync(session),
  'zlib of Node, level 1': deflateSync(session, { level: 1 }),
  'zlib of Node, little': deflateSync(small),
  'bare deflate of Node': deflateRawSync(session),
  'bare deflate of Node, little': deflateRawSync(small),
  'bare deflate of Node, fixed codes': deflateRawSync(session, { strategy: constants.Z_FIXED }),
  'bare deflate of the credential': deflateRawSync(packedKey.slice(8)),
  'zlib of the credential': deflateSync(packedKey.slice(8)),
  'gzip of the credential': gzipSync(packedKey.slice(8)),
  'brotli of Node': brotliCompressSync(session),
  ...Object.fromEntries(
    Object.entries(recorded).map(([name, written]) => [name, Buffer.from(written, 'base64')]),
  ),
}

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
  'in base64, behind a version': (packed) => `v1_${packed.toString('base64url')}`,
  'in base64, behind its kind': (packed) => `data:application/octet-stream;base64,${base64(packed)}`,
  'in base64, in JSON': (packed) => JSON.stringify({ state: base64(packed) }).replaceAll('/', String.raw`\/`),
  'in base64, in JSON, every sign escaped': (packed) =>
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
  'in hexadecimal with colons': (packed) => grouped(packed, 1, ':'),
  'in hexadecimal in groups of two bytes': (packed) => grouped(packed, 2, ' '),
  'in hexadecimal in groups of four bytes': (packed) => grouped(packed, 4, ' '),
  'in hexadecimal numbers': (packed) => `0x${grouped(packed, 1, ', 0x')}`,
  'in C': (packed) => `\\x${grouped(packed, 1, '\\x')}`,
  'in hexadecimal of base64': (packed) => Buffer.from(base64(packed)).toString('hex'),
  'as a buffer': (packed) => JSON.stringify({ session: packed }),
  'as a typed array': (packed) => JSON.stringify({ session: new Uint8Array(packed) }),
  'as a list with an indent': (packed) => JSON.stringify([...packed], null, 2),
  'as bytes of Java': (packed) => `[${[...new Int8Array(packed)].join(', ')}]`,
  'percent-encoded': (packed) =>
    Array.from(packed, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'percent-encoded, as by PHP': (packed) => `sid=${escape(packed.toString('latin1'))}`,
}

/** What is not recognised, of packed data: the documents name it. */
export const disguisedEnvelopes: Readonly<Record<string, (packed: Buffer) => string>> = {
  'as a big integer': (packed) => String(BigInt(`0x${packed.toString('hex')}`)),
  'in pieces in quotes': (packed) =>
    (base64(packed).match(/.{1,12}/g) ?? []).map((one) => `"${one}"`).join(' + '),
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64')
}

function grouped(bytes: Buffer, size: number, sign: string): string {
  return bytes.toString('hex').replaceAll(new RegExp(`(.{${size * 2}})(?=.)`, 'g'), `$1${sign}`)
}

function escapedSign(sign: string): string {
  return `\\u00${sign.charCodeAt(0).toString(16)}`
}
