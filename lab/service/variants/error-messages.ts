import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'

/** Other error messages: their wording and length may change without notice. Source: Errors. */
export const errorMessageVariants: readonly Variant[] = [
  shipped('messages-empty'),
  saying(
    'messages-of-white-space',
    'Error messages are nothing but white space.',
    () => ' \t\r\n\u00a0\u2028',
  ),
  shipped('messages-of-100000-characters'),
  saying(
    'messages-in-many-scripts',
    'Error messages are in many scripts, some of them right to left.',
    (code) =>
      `${code}: ключ неверен · 密钥无效 · مفتاح غير صالح · מפתח שגוי · 키 · कुंजी · \u202eyek\u202c · 🔑\u{1F468}\u200d\u{1F469}`,
  ),
  saying(
    'messages-with-control-characters',
    'Error messages hold control characters, NUL too, escaped as JSON demands.',
    () =>
      Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('') +
      '\u007f\u0080\u009f\ufffe\ufeff',
  ),
  saying(
    'messages-with-lone-surrogates',
    'Error messages hold halves of characters, escaped.',
    () => 'cut \ud83d here and \udd11 there',
  ),
  saying(
    'messages-that-look-like-json',
    'Error messages quote an error object of another code.',
    () => '{"error_code":"1006","error_message":"not this one"}',
  ),
  saying(
    'messages-that-look-like-html',
    'Error messages hold a web page.',
    () => '<!doctype html><html><body><h1>500 Internal Server Error</h1>Exception at line 1</body></html>',
  ),
  saying(
    'messages-that-look-like-traces',
    'Error messages hold what looks like a trace of calls.',
    (code) =>
      `java.lang.IllegalStateException: ${code}\n\tat com.example.Gate.check(Gate.java:42)\nCaused by: SQLSTATE[42000]: syntax error near "'"`,
  ),
  saying('messages-that-are-codes', 'Error messages are the code, or that of another error.', (code) =>
    code === '1001' ? '1002' : code,
  ),
  saying('messages-alike-for-all-errors', 'Every error has the same message.', () => 'request refused'),
  saying(
    'messages-another-each-time',
    'Every error message holds a number of its own.',
    (_code, call) => `refused (${String(call.arrival)})`,
  ),
  saying(
    'messages-that-name-the-key',
    'Error messages name the API key, which is no secret.',
    (code, call) => `${code}: the client ${field(call, 'x-api-key') ?? '(none)'} cannot be served`,
  ),
  saying(
    'messages-that-mask-the-secret',
    'Error messages hold as many letters x as the secret that was sent has characters.',
    (code, call) => `${code}: secret ${'x'.repeat(field(call, 'x-secret-key')?.length ?? 0)}`,
  ),
  saying(
    'messages-in-the-language-asked-for',
    'Error messages are in the language that the request asks for.',
    (code, call) =>
      field(call, 'accept-language')?.startsWith('de') === true
        ? `Fehler ${code}: Anfrage abgewiesen`
        : `error ${code}: request refused`,
  ),
]

function saying(name: string, about: string, message: (code: string, call: Call) => string): Variant {
  return {
    name,
    about,
    manner: () => ({
      writing: { error: (error, call) => ({ ...error, error_message: message(error.error_code, call) }) },
    }),
  }
}
