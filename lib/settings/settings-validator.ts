import { Ajv } from 'ajv'
import { ownSchema } from './request-grammar.ts'
import { settingTable, type Checked } from './setting-table.ts'

const properties = Object.fromEntries(settingTable.map(({ name, schema }) => [name, schema]))

/** Whether typed values are valid settings. The build compiles it. */
export const fitsSettings = new Ajv(ownSchema).compile<Checked>({ type: 'object', properties })
