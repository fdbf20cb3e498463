import { requiredFields } from '../../lib/specification/endpoints.ts'
import { credentialFields, inFields, type Shows, type WireClass, type Value } from './classes.ts'

/** Whether the text is the valid value with such characters, and nothing else, somewhere in it. */
function within(characters: RegExp): Shows {
  return ({ text }, valid) => text !== null && text !== valid && text.replaceAll(characters, '') === valid
}

/** All that Unicode calls white space, beyond ASCII. */
const separator = /(?! )[\p{Z}\u0085]/gu

function separatorInside({ text }: Value, valid: string): boolean {
  const [first = '', ...more] = text?.split(separator).filter((part) => part !== '') ?? []
  return more.length === 1 && first + more.join('') === valid
}

function separatorAtEnd(end: 'before' | 'after'): Shows {
  return ({ text }, valid) => {
    const [before, after, ...more] = text?.split(valid) ?? []
    const [there, elsewhere] = end === 'before' ? [before, after] : [after, before]
    return more.length === 0 && elsewhere === '' && there?.length === 1 && there.replace(separator, '') === ''
  }
}

/** Whether one character of the valid value is written as another one, and which. */
function written(fits: (written: string, character: string) => boolean): Shows {
  return ({ text }, valid) => {
    const characters = Array.from((text ?? '').normalize('NFC'))
    const turned = characters.flatMap((one, at) => (one === valid[at] ? [] : [at]))
    const [at = -1] = turned
    return (
      characters.length === valid.length &&
      turned.length === 1 &&
      text?.normalize('NFC') === text &&
      fits(characters[at] ?? '', valid[at] ?? '')
    )
  }
}

const unicode: WireClass = {
  name: 'Unicode, as UTF-8 bytes',
  examples: inFields(credentialFields, {
    'a separator inside': separatorInside,
    'zero-width': within(/[\u200b-\u200d\u2060]/g),
    bidi: within(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g),
    BOM: within(/\ufeff/g),
    'a homoglyph': written((one) => /\p{Script=Cyrillic}/u.test(one)),
    'full-width': written(
      (one, character) => /[\uff01-\uff5e]/.test(one) && one.normalize('NFKC') === character,
    ),
    'an accent in NFC': written((one, character) => one.normalize('NFD') === `${character}\u0301`),
    'an accent in NFD': ({ text }, valid) =>
      text !== null && /[a-z]\u0301/i.test(text) && text.replace('\u0301', '') === valid,
    emoji: within(/\p{Extended_Pictographic}/gu),
    'combining marks': within(/\p{M}/gu),
    'a separator before it': separatorAtEnd('before'),
    'a separator after it': separatorAtEnd('after'),
  }),
}

/** Whether the value is no UTF-8, and the valid one with these bytes in it. */
function notUtf8(bytes: RegExp): Shows {
  return ({ arrived, text }, valid) => text === null && arrived.replace(bytes, '') === valid
}

const brokenEncoding: WireClass = {
  name: 'broken encoding',
  examples: [
    ...inFields(credentialFields, {
      'a lone continuation byte': notUtf8(/[\x80-\xbf]/),
      'an overlong form': notUtf8(/\xc0[\x80-\xbf]/),
      'a surrogate': notUtf8(/\xed[\xa0-\xbf][\x80-\xbf]/),
      '0xFF': notUtf8(/\xff/),
      'Latin-1': notUtf8(/[\xe0-\xf6]/),
    }),
    ...inFields(['x-version'], { 'no UTF-8': ({ text }) => text === null }),
  ],
}

/** Each but HTAB, which is white space, and the two that lines end with. */
const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
  (code) => (code < 0x20 && ![0x09, 0x0a, 0x0d].includes(code)) || code >= 0x7f,
)

/** Whether this stands inside the valid value; in one of a character, which has no inside, between it and itself. */
function broken(by: RegExp | string): Shows {
  return ({ raw }, valid) => {
    const [first = '', second = '', ...more] = raw.split(by)
    const isInside = first !== '' && second !== '' && more.length === 0
    return isInside && (first + second === valid || (first === valid && second === valid))
  }
}

const controlCharacters: WireClass = {
  name: 'control (raw socket)',
  examples: inFields(
    requiredFields,
    Object.fromEntries(
      controls.map((code) => [`U+${code.toString(16).padStart(4, '0').toUpperCase()}`, broken(utf8(code))]),
    ),
  ),
}

const lineBreaks: WireClass = {
  name: 'line (raw socket)',
  examples: inFields(requiredFields, {
    'a bare CR': broken(/\r(?!\n)/),
    'folded by CR LF SP': broken(/\r\n /),
    'folded by CR LF HTAB': broken(/\r\n\t/),
    'folded by LF SP': broken(/(?<!\r)\n /),
    'folded by CR LF SP before the valid value': ({ raw }, valid) => raw === `\r\n ${valid}`,
    'folded by CR LF HTAB before the valid value': ({ raw }, valid) => raw === `\r\n\t${valid}`,
  }),
}

function utf8(code: number): string {
  return Buffer.from(String.fromCharCode(code), 'utf8').toString('latin1')
}

/** Classes of single characters and line breaks in values. */
export const characterClasses: readonly WireClass[] = [unicode, brokenEncoding, controlCharacters, lineBreaks]
