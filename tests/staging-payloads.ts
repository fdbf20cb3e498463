/** What a payload looks like, and what it is called. */
interface Pattern {
  readonly says: string
  readonly is: RegExp
}

/** What would change, delete, run, read or call out where it works. */
const payloads: readonly Pattern[] = [
  {
    says: 'a statement that changes data',
    is: /\b(?:drop|delete|update|insert|truncate|alter|grant|shutdown)\b/i,
  },
  {
    says: 'a function of a database that waits or works',
    is: /\b(?:sleep|pg_sleep|waitfor|benchmark|dbms_\w+)\b/i,
  },
  {
    says: 'a call that runs code',
    is: /\b(?:eval|exec|execute|system|passthru|popen|spawn|import|require)\s*\(|\beval\b/i,
  },
  { says: 'a lookup', is: /\bjndi\b/i },
  {
    says: 'markup that acts',
    is: /<\s*(?:script|iframe|object|embed|svg|img|link|meta|form)\b|\son\w+\s*=|\b(?:alert|prompt|confirm|fetch)\s*\(/i,
  },
  { says: 'an entity or a document type', is: /<!\s*(?:entity|doctype)/i },
  { says: 'a file that holds something', is: /\/etc\/|\/proc\/|\b(?:win|boot)\.ini\b|\.ssh\b/i },
  { says: 'something put into a prototype', is: /(?:__proto__|prototype)\s*[[.]/ },
  { says: 'a host to look up', is: /[a-z]:\/\/(?![\w.-]+\.invalid(?:[/:]|$))/i },
  {
    says: 'a host to look up, without a scheme',
    is: /(?:^|[^:/])\/\/[\w-]{1,63}\.[a-z]|\w\.(?:com|net|org|io|dev|app|cloud|internal|local)\b/i,
  },
  { says: 'an address to call', is: /\b(?!127\.0\.0\.1\b)\d{1,3}(?:\.\d{1,3}){3}\b|\[::/ },
  { says: 'a method override', is: /(?:^|[?&])_?method=/i },
]

/** What is so short that random characters might come to it. */
const shortOnes: readonly Pattern[] = [
  {
    says: 'a shell command',
    is: /[;|&`(]\s*(?:(?:rm|nc|sh|ls|id)(?:\s|$)|(?:cat|curl|wget|bash|ping|nslookup|whoami|touch|kill|reboot|powershell|cmd)\b)/i,
  },
  {
    says: 'a path out of the folder to anything but a null device',
    is: /\.\.[/\\]+(?!\.\.|dev\/null\b|nul\b|$)/i,
  },
  { says: 'a procedure of a database', is: /\bxp_/i },
  { says: 'the end of a statement, or the rest of one commented out', is: /'\s*(?:;|--|#|\/\*)/ },
  { says: 'a command between backticks', is: /`[^`]+`/ },
  { says: 'a command to be replaced by what it says', is: /\$\(/ },
  { says: 'a variable or a lookup to be replaced', is: /\$\{[^}]*[:a-z]/i },
]

/** A payload in a text, as it is or once or twice decoded: what it is called, or null. */
export function payloadIn(text: string): string | null {
  const forms = [text]
  for (let left = 2; left > 0 && forms.at(-1)?.includes('%') === true; left -= 1) {
    forms.push(percentDecoded(forms.at(-1) ?? ''))
  }
  return [...payloads, ...shortOnes].find(({ is }) => forms.some((form) => is.test(form)))?.says ?? null
}

/** With every percent-encoding as the byte that it stands for; what is none stays. */
export function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
