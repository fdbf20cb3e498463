import { Ajv, type ErrorObject } from 'ajv'

import type { Texts } from './gather.ts'
import { ownSchema } from './json-file.ts'
import type { Mistake, Part } from './mistake.ts'
import { meant } from './nearest.ts'
import { settingNamed, settingTable, type SettingEntry } from './setting-table.ts'
import type { Setting } from './setting.ts'

type ValueOf<Entry> = Entry extends { readonly kind: 'integer' | 'number' }
  ? number
  : Entry extends { readonly kind: 'boolean' }
    ? boolean
    : Entry extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string

/** The given settings with the types that the table says; what has a grammar of its own is still text. */
export type Checked = { readonly [Entry in SettingEntry as Entry['name']]?: ValueOf<Entry> }

/** The longest text, as of a label, that is worth a line in a report. */
const longestText = 200

// Environment variables are texts: Ajv coerces them, once the text itself is one that a person would write.
const ajv = new Ajv({ ...ownSchema, allErrors: true, coerceTypes: true, strictTypes: false })

const validate = ajv.compile<Checked>({
  type: 'object',
  properties: Object.fromEntries(settingTable.map((setting) => [setting.name, schemaOf(setting)])),
})

/** Checks every text against its entry in the table; what is wrong is left out of the value. */
export function checkTexts(texts: Texts): Part<Checked> {
  const errors = errorsOf(texts)
  const mistakes = new Map(errors.map(mistakeFor(texts)).map((mistake) => [mistake.setting, mistake]))
  const right: unknown = readable(texts, (name) => !mistakes.has(name))
  if (!validate(right)) throw new Error('a settings schema that depends on another setting')

  return { value: right, mistakes: [...mistakes.values()] }
}

function errorsOf(texts: Texts): readonly ErrorObject[] {
  return validate(readable(texts, () => true)) ? [] : (validate.errors ?? [])
}

/** A fresh copy, since coercion writes into it, with the words for yes and no that Ajv does not know. */
function readable(texts: Texts, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([name]) => wanted(name))
      .map(([name, text]) => [name, settingNamed(name)?.kind === 'boolean' ? truth(text) : text]),
  )
}

function truth(text: string): string {
  if (/^(?:true|yes|1)$/i.test(text)) return 'true'

  return /^(?:false|no|0)$/i.test(text) ? 'false' : text
}

function schemaOf(setting: Setting): object {
  switch (setting.kind) {
    case 'integer':
      return {
        allOf: [
          { type: 'string', pattern: '^(?:0|[1-9][0-9]*)$' },
          { type: 'integer', minimum: setting.minimum, maximum: setting.maximum },
        ],
      }
    case 'number':
      return {
        allOf: [
          { type: 'string', pattern: '^[0-9]+(?:\\.[0-9]+)?$' },
          { type: 'number', exclusiveMinimum: 0, maximum: setting.maximum },
        ],
      }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: setting.choices }
    case 'text':
      return { type: 'string', pattern: '^\\P{Cc}*$', maxLength: longestText }
    case 'path':
      return { type: 'string', pattern: '^\\P{Cc}*$' }
    case 'base-url':
    case 'credential':
    case 'query':
    case 'endpoint':
    case 'rules':
    case 'proxy':
      break
  }
  return { type: 'string' }
}

function mistakeFor(texts: Texts): (error: ErrorObject) => Mistake {
  return ({ instancePath }) => {
    const setting = settingNamed(instancePath.slice(1))
    if (setting === null) throw new Error(`an error outside the settings: ${instancePath}`)
    const given = texts[setting.name] ?? ''

    return { setting: setting.name, given, expected: expectedOf(setting), hint: hintFor(setting, given) }
  }
}

function expectedOf(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `a whole number from ${setting.minimum} to ${setting.maximum}, written in digits only`
    case 'number':
      return `a number above 0 and at most ${setting.maximum}, as 25 or 0.5`
    case 'boolean':
      return 'true or false (yes, no, 1 and 0 will do)'
    case 'choice':
      return `one of ${setting.choices.join(', ')}`
    case 'text':
      return `at most ${longestText} characters, without line breaks and other control characters`
    case 'path':
    case 'base-url':
    case 'credential':
    case 'query':
    case 'endpoint':
    case 'rules':
    case 'proxy':
      break
  }
  return 'a text without line breaks and other control characters'
}

function hintFor(setting: Setting, given: string): string | null {
  if (setting.kind === 'choice') {
    const choice = meant(given, setting.choices)
    return choice === null ? null : `did you mean ${choice}?`
  }
  const digits = given.replaceAll(/[\s_,.'’]/g, '').replace(/^\+?0*(?=\d)/, '')
  if (setting.kind === 'integer' && digits !== given && /^\d+$/.test(digits) && !/^\d+\.\d*$/.test(given)) {
    return `did you mean ${digits}?`
  }
  return null
}
