import { printable } from '../../text/printable.ts'
import type { CauseView } from '../model/cause-view.ts'
import type { View } from '../view.ts'

/** A credential as shown in reports. */
const shownCredential = /<((?:TARGET|FIXTURE)_[A-Z_]+)>/g

/**
 * `requests.http`: the request for each cause, with credentials as variables, for HTTP clients in editors and for readers without
 * the suite. Requests that such a client cannot send, such as those with a truncated body or bytes that are not text, are
 * included as comments.
 */
export function requestsHttp(view: View) {
  const open = view.causes.filter(({ status }) => status !== 'waived')
  const parts = open.map(requestOf)
  const names = new Set(parts.join('\n').match(/(?<=\{\{)[A-Z_]+(?=\}\})/g))
  const head = [
    `# ${printable(view.headline)}: ${printable(view.subject)}`,
    ...(view.notice === null ? [] : [`# ${view.notice}`]),
    '# One request per cause. Send it with an HTTP client in your editor: JetBrains, or REST Client in VS Code.',
    ...(names.size === 0
      ? []
      : [
          `# Set these variables in the environment of that client, never in this file: ${[...names].join(', ')}`,
        ]),
  ]
  return `${[head.join('\n'), ...parts].join('\n\n')}\n`
}

function requestOf({ id, title, expected, got, named, findings }: CauseView) {
  const [first] = findings
  const about = [title, `expected: ${expected}`, `got: ${got}`, named.toLowerCase()]
  const comments = about.map((line, place) => `${place === 0 ? `### ${id}:` : '#'} ${printable(line)}`)
  if (first === undefined) return comments.join('\n')
  const lines = first.sent.map((line, place) => (place === 0 ? `${line} HTTP/1.1` : line))
  const isSendable = first.isExact && first.curl !== null
  const replay = first.replay.copied ? [`# replay: ${first.replay.text}`] : []
  if (!isSendable)
    return [...comments, ...replay, '# Such a client cannot send it byte for byte. It was:']
      .concat(lines.map((line) => `# ${printable(line)}`))
      .join('\n')
  return [...comments, ...replay, ...lines.map(withVariables)].join('\n')
}

function withVariables(line: string) {
  return line.replaceAll('{{', '{ {').replaceAll(shownCredential, '{{$1}}')
}
