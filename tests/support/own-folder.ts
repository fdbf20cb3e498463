import { folderWith } from './program.ts'

/** A folder with these modules, for RUN_SUITES, in which the package resolves by name. */
export function ownFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const found = 'node_modules/card-switch-conformance'
  const library = JSON.stringify(new URL('../../bin/library.mjs', import.meta.url).href)
  return folderWith({
    ...files,
    [`${found}/package.json`]: JSON.stringify({ type: 'module', exports: './library.mjs' }),
    [`${found}/library.mjs`]: `export * from ${library}`,
  })
}

/** The entry of a user's rule. */
export const ownEntry = `{ id: 'acme/one', level: 'documented', section: '1', says: 'it holds' }`

const imported = `import { answers, area, caseClass, example, fuzzed, judged, rule, scenario, succeeds, succeedsWith, withQuery } from 'card-switch-conformance'`

/** A module with one rule that has this entry and this function, which makes its cases. */
export const declaring = (entry: string, casesOf = '() => []'): string =>
  [imported, `export const own = area('Acme', [rule(${entry}, ${casesOf})])`].join('\n')

/** The function of a rule whose only case is a plain request with this check, or a scenario that is played by these statements. */
export const onPlain = (check: string): string => `({ list }) => [example('plain', list.request, ${check})]`
export const playing = (play: string): string =>
  `({ list, target }) => [scenario('plain', 2, async (stage) => {${play}})]`

/** A module with a rule for each of these functions, named `acme/r0` and so on. Each says whether it makes cases or classes. */
export function declaringAll(
  makers: readonly (readonly [makes: 'cases' | 'classes', text: string])[],
): string {
  const rules = makers.map(([makes, text], at) => {
    const entry = ownEntry.replace('one', `r${at}`)
    return `${makes === 'cases' ? 'rule' : 'fuzzed'}(${entry}, ${text})`
  })
  return [imported, `export const own = area('Acme', [${rules.join(',\n')}])`].join('\n')
}
