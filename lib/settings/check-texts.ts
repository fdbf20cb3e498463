import { didYouMean, issue, type Parsed } from './issue.ts'
import { readInto, settingTable, type Checked, type Texts } from './setting-table.ts'

/** Checks every text against its entry in the table; what is wrong is left out of the value. */
export function checkTexts(texts: Texts): Parsed<Checked> {
  const value: { -readonly [Name in keyof Checked]: Checked[Name] } = {}
  const issues = settingTable.flatMap(({ name, expected, meant }) => {
    const given = texts[name]
    if (given === undefined || readInto(value, name, given)) return []
    return [issue(name, { given, expected, hint: didYouMean(meant?.(given) ?? null) })]
  })
  return { value, issues }
}
