import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'

/** Possible answers of the list endpoint. The specification shows only that the body is JSON. */
export const listContentVariants: readonly Variant[] = [
  shipped('list-empty'),
  holding('list-empty-object', 'The body is an empty object.', () => ({})),
  holding('list-null', 'The body is null.', () => null),
  holding('list-number', 'The body is a number.', () => 0),
  holding('list-false', 'The body is false.', () => false),
  holding('list-empty-string', 'The body is an empty string.', () => ''),
  holding('list-string-that-is-a-code', 'The body is a string that is a code.', () => '1006'),
  holding('list-of-items', 'The body is an object with items and a cursor.', (list) => ({
    data: { items: list['customizations'] },
    page: { next: null, size: 50 },
  })),
  holding('list-plain-array', 'The body is the array itself.', (list) => list['customizations']),
  holding('list-of-everything', 'The list holds values of every type.', () => [
    null,
    true,
    0,
    -1.5e-300,
    2 ** 53,
    '',
    [],
    {},
    [[[]]],
    { a: { b: [1, '1', null] } },
  ]),
  holding('list-of-two-megabytes', 'The list has 20,000 items.', () =>
    Array.from({ length: 20_000 }, (_, ref) => ({
      ref,
      name: 'Evening, as it was meant to be',
      note: '0123456789'.repeat(4),
    })),
  ),
  holding('list-of-one-long-string', 'The list holds a string of 300,000 characters.', () => [
    'Evening '.repeat(37_500),
  ]),
  holding('list-deep', 'The list holds a value 200 levels deep.', () => ({ tree: deep(200) })),
  holding('list-wide', 'The body is an object with 3,000 properties.', () =>
    Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`cst_${index.toString(36)}`, { active: index % 2 === 0 }]),
    ),
  ),
  holding('list-in-many-scripts', 'Names and values are in many scripts.', () => ({
    имя: ['Вечер', '夕方', 'مساء', 'ערב', '저녁', 'शाम', '🌆', 'e\u0301', '\u202eabc', '\0\u001f', '\ud83d'],
    '': { ' ': null, '名前.a[0]': '"\\/' },
  })),
  holding('list-with-odd-property-names', 'Properties have names that mean something to programs.', () =>
    JSON.parse(
      '{"__proto__":{"a":1},"constructor":null,"toJSON":"x","then":1,"length":-1,"0":"a","hasOwnProperty":false,"status":500}',
    ),
  ),
  holding('list-with-errors-inside', 'Items hold properties named as those of the error object.', (list) => ({
    ...list,
    errors: [{ error_code: '1006', error_message: 'invalid api key' }],
    error: null,
    status: 'error',
  })),
  holding(
    'list-with-a-code-of-success',
    'A success has a code and a message, too, which say that all is well.',
    (list) => ({ error_code: '0', error_message: 'OK', ...list }),
  ),
  holding('list-with-a-code-of-null', 'A success has a code and a message that are null.', (list) => ({
    error_code: null,
    error_message: null,
    ...list,
  })),
  shipped('list-another-each-time'),
  holding(
    'list-of-another-type-each-time',
    'The body is an array, an object or null in turn.',
    (list, call) => [[], list, null][call.arrival % 3],
  ),
  shipped('list-with-opaque-strings-of-other-forms'),
]

function holding(
  name: string,
  about: string,
  success: (list: Readonly<Record<string, unknown>>, call: Call) => unknown,
): Variant {
  return { name, about, manner: () => ({ writing: { success } }) }
}

function deep(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { inner: value } : [value]
  return value
}
