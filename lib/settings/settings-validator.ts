import { Ajv } from 'ajv'
import { ownSchema } from './own-schema.ts'
import { patterns } from './request-grammar.ts'
import { settingTable, type Checked, type Setting, type SettingKind } from './setting-table.ts'

/** Patterns of texts; those of other kinds are checked elsewhere. */
const ofKinds: Readonly<Partial<Record<SettingKind, string>>> = {
  text: '^\\P{Cc}{0,200}$',
  path: '^\\P{Cc}*$',
  query: patterns.query,
  endpoint: patterns.endpoint,
}

function schemaOf({ kind, bounds: [least, most] = [0, 0], choices }: Setting): object {
  if (kind === 'integer') return { type: kind, minimum: least, maximum: most }
  if (kind === 'number') return { type: kind, exclusiveMinimum: least, maximum: most }
  if (kind === 'boolean') return { type: kind }
  if (kind === 'choice') return { enum: choices }
  const pattern = ofKinds[kind]
  return pattern === undefined ? {} : { type: 'string', pattern }
}

const schema = {
  type: 'object',
  properties: Object.fromEntries(settingTable.map((setting) => [setting.name, schemaOf(setting)])),
}

/** Whether typed values are those of settings. The build compiles it. */
export const fitsSettings = new Ajv(ownSchema).compile<Checked>(schema)
