import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/** Any character but a lone surrogate, as `unit: 'binary'` draws it, which first lists all 1.1 million. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((code) => String.fromCodePoint(code < surrogates.first ? code : code + surrogates.count))
