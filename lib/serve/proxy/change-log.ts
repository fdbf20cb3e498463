import type { IncomingMessage } from 'node:http'
import { itemPath, propertyPath, rootPath } from '../../drift/shape-paths.ts'
import { isObject } from '../../json/json-value.ts'
import { redactorFor } from '../../redact/redact.ts'
import { Secret } from '../../redact/secret.ts'
import { beginning, printable } from '../../text/printable.ts'

/** Maximum number of logged changes of an answer. */
const mostLines = 200

/** Maximum length of a logged value, in characters. */
const longestValue = 200

/** Maximum number of remembered credentials. */
const mostKept = 200

/** Names whose values are credentials, whatever they are. */
const secretName = /secret|token|passw|api_?-?key|credential|authorization|cookie/i

/** Fields of requests that hold no credential; every other may. */
const harmless =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|dnt|expect|host|if-.*|keep-alive|max-forwards|origin|pragma|priority|range|referer|sec-.*|te|trace(?:parent|state)|trailer|transfer-encoding|upgrade(?:-.*)?|user-agent|via|x-version)$/

/** A change at a place of an answer; `texts` are those before and after, or only the one that was added. */
interface Change {
  readonly what: 'added' | 'reordered' | 'changed'
  readonly path: string
  readonly texts: readonly string[]
}

/** Describes the changes of answers, without any credential of these or of a request so far: a service may repeat it later. */
export function changeLog(known: readonly Secret[]) {
  const seen = new Map<string, Secret>()
  return {
    /** Remembers what may be a credential in a request. */
    note({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): void {
      const fields = Object.entries(headers).filter(([name]) => !harmless.test(name))
      const query = [...new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])].filter(
        ([, { length }]) => length >= 8,
      )
      for (const [name, value = ''] of [...fields, ...query])
        for (const part of [value].flat().flatMap(partsOf)) {
          if (seen.size >= mostKept) seen.clear()
          seen.set(part, new Secret(name, part))
        }
    },

    /** A line for each change: path, before and after. */
    lines(
      number: number,
      { before, after }: Readonly<Record<'before' | 'after', string>>,
    ): readonly string[] {
      const redactor = redactorFor([...known, ...seen.values()])
      const made = changesIn(parsed(before), parsed(after), rootPath)
      const shown = made.slice(0, mostLines).map(({ what, path, texts }) => {
        // What a value becomes may begin as it did.
        const isNamed = what === 'changed' && secretName.test(path)
        const isHidden = isNamed || texts.some((text) => redactor.redact(text) !== text)
        const says = isHidden ? '(withheld: it may hold a credential)' : texts.map(safe).join(' → ')
        return `  #${number} ${what} ${safe(redactor.redact(path))}: ${says}`
      })
      const more = made.length - shown.length
      return more === 0 ? shown : [...shown, `  #${number} … and ${more} more`]
    },
  }
}

/** Words of `Bearer …` and of cookies, and what Basic credentials decode to; shorter parts occur by chance. */
function partsOf(value: string): readonly string[] {
  return [...value.split(/[\s;,]+/), ...value.split(/[\s;,=]+/)]
    .flatMap((part) => [part, ...Buffer.from(part, 'base64').toString('latin1').split(':')])
    .filter((part) => /^[\x21-\x7e]{4,}$/.test(part) && !/^(?:basic|bearer|digest|negotiate)$/i.test(part))
}

function parsed(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** Recursive: answers of more than 200 levels are not changed. */
function changesIn(before: unknown, after: unknown, path: string): readonly Change[] {
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((item, at) => changesIn(item, after[at], itemPath(path, at)))
  if (!isObject(before) || !isObject(after))
    return before === after ? [] : [{ what: 'changed', path, texts: [before, after].map(textOf) }]
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
  const order = Object.keys(after).filter((name) => Object.hasOwn(before, name))
  const texts = [Object.keys(before), order].map((names) => names.map(textOf).join(', '))
  return [
    ...added.map((name) => ({
      what: 'added' as const,
      path: propertyPath(path, name),
      texts: [textOf(after[name])],
    })),
    ...(texts[0] === texts[1] ? [] : [{ what: 'reordered' as const, path, texts }]),
    ...Object.keys(before).flatMap((name) => changesIn(before[name], after[name], propertyPath(path, name))),
  ]
}

function textOf(value: unknown): string {
  return JSON.stringify(value)
}

/** Escapes a text and cuts it, once nothing in it is to be hidden. */
function safe(text: string): string {
  return printable(beginning(text, longestValue))
}
