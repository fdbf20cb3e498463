import { spellings } from '../../tests/leaks/spellings.ts'
import { noticed, placedEcho, type Echo, type Heard } from './echo.ts'
import { saying } from './write.ts'

/** An echo of both credentials in this spelling, in the message of every error and next to every success. */
function speltEcho(name: string, spelling: string, rules: Echo['rules'] = []): Echo {
  const spell = spellings[spelling]
  if (spell === undefined) throw new TypeError(`there is no spelling ${spelling}`)
  const text = ({ apiKey, secretKey }: Heard): string => `${spell(apiKey)} | ${spell(secretKey)}`
  const about = `Every answer repeats both credentials ${spelling}.`
  return placedEcho(name, {
    about,
    rules,
    written: (heard, answer) => ({ added: saying(answer, text(heard)) }),
  })
}

/** Echoes in other spellings, as written by libraries and template engines. */
export const speltEchoes: readonly Echo[] = [
  speltEcho('json-escaped', 'in JSON, every character'),
  speltEcho('json-within-json', 'in JSON within JSON', noticed),
  speltEcho('base64', 'in base64', noticed),
  speltEcho('base64-with-key', 'in base64 with its key', noticed),
  speltEcho('base64-in-lines', 'in base64, broken into lines'),
  speltEcho('percent-encoded', 'percent-encoded', noticed),
  speltEcho('percent-encoded-form', 'percent-encoded as a form'),
  speltEcho('percent-encoded-every-byte', 'percent-encoded, every byte, in upper case', noticed),
  speltEcho('percent-encoded-twice', 'percent-encoded twice'),
  speltEcho('upper-case', 'in upper case'),
  speltEcho('swapped-case', 'in swapped case'),
  speltEcho('hexadecimal', 'in hexadecimal', noticed),
  speltEcho('hexadecimal-in-capitals', 'in hexadecimal, in upper case', noticed),
  speltEcho('html-entities', 'in HTML, decimal'),
  speltEcho('html-names', 'in HTML, named'),
  speltEcho('bytes-of-a-buffer', 'as the bytes of a buffer'),
]
