import { Ajv } from 'ajv'
import { grammar, ownSchema, stringLike } from './request-grammar.ts'
import { settingTable, type Checked, type Setting } from './setting-table.ts'

/** Also forbids `$(NAME)`, `${NAME}`, `${{ secrets.NAME }}`, `{{ NAME }}`, `%NAME%` and `<NAME>`, variables that were not replaced. */
const credential = stringLike(
  '^(?! |(["\'`]).*\\1$|(?:\\$\\([\\w.-]+\\)|\\$\\{[\\w.-]+\\}|\\$?\\{\\{[\\w\\s.-]+\\}\\}|%\\w+%|<\\w+>)$)[ -~]{1,4096}(?<! )$',
  'the value itself: at most 4096 visible ASCII characters, without a line break or quotes around it, and not the name of a variable',
)

const noControls = 'without line breaks or other control characters'

/** The schema of a value, with a description; kinds with a separate parser accept any text. */
function schemaOf({ kind, bounds: [least, most] = [0, 0], choices = [] }: Setting): object {
  if (kind === 'integer') {
    const description = `a whole number from ${least} to ${most}, in digits only`
    return { type: kind, minimum: least, maximum: most, description }
  }
  if (kind === 'number') {
    const description = `a number above ${least} and at most ${most}, such as 25 or 0.5`
    return { type: kind, exclusiveMinimum: least, maximum: most, description }
  }
  if (kind === 'boolean') return { type: kind, description: 'true or false (or yes, no, 1, 0)' }
  if (kind === 'choice') return { enum: choices, description: `one of ${choices.join(', ')}` }
  if (kind === 'query' || kind === 'endpoint') return grammar[kind]
  if (kind === 'credential') return credential
  if (kind === 'path') return stringLike('^\\P{Cc}*$', `a text ${noControls}`)
  return kind === 'text' ? stringLike('^\\P{Cc}{0,200}$', `at most 200 characters, ${noControls}`) : {}
}

const schema = {
  type: 'object',
  properties: Object.fromEntries(settingTable.map((setting) => [setting.name, schemaOf(setting)])),
}

/** Whether typed values are valid settings. The build compiles it. */
export const fitsSettings = new Ajv(ownSchema).compile<Checked>(schema)
