import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { textOf } from './syntax.ts'

/** A name that the library exports. */
interface Exported {
  readonly name: string
  readonly isType: boolean
  readonly isStable: boolean
  /** The first sentence of its docstring. */
  readonly says: string
}

/** All exports of lib/doors/library/library.ts, in source order. */
export function exportsOf(text: string): readonly Exported[] {
  const mayChange = text.indexOf('// May change')
  return parseSync('library.ts', text)
    .module.staticExports.flatMap(({ entries }) => entries)
    .map(({ start, isType, exportName, importName, moduleRequest }) => ({
      name: exportName.name ?? '',
      isType,
      isStable: mayChange < 0 || start < mayChange,
      says: sentenceAbove(importName.name ?? '', join('lib/doors/library', moduleRequest?.value ?? '')),
    }))
}

/** The first sentence of the docstring of a declaration in a file. */
function sentenceAbove(name: string, file: string): string {
  const kinds = 'const|class|function|interface|type'
  const [above = ''] = textOf(file).split(new RegExp(`^export (?:async )?(?:${kinds}) ${name}\\b`, 'm'))
  const comment = above.slice(above.lastIndexOf('/**')).replaceAll(/^\/\*\*|\*\/\s*$|^ *\* ?/gm, ' ')
  return comment
    .replaceAll(/\{@link ([^}]+)\}/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/(?<=[.!])\s.*$/, '')
}

/** The table of exports in docs/library.md. */
export function tableOf(exported: readonly Exported[]): string {
  const rows = exported.map(
    ({ name, isType, says }) => `| \`${name}\`${isType ? ' (type)' : ''} | ${says.replaceAll('|', '\\|')} |`,
  )
  return ['| export | is |', '| --- | --- |', ...rows].join('\n')
}
