import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { answer } from '../judge/testing/exchanges.ts'
import { looksLike } from './looks-like.ts'

const url = 'http://staging.example:8080/cards/api/customizations/list'
const https = url.replace('http:', 'https:')
const html: Response['fields'] = [['Content-Type', 'text/html; charset=utf-8']]
const seen = (response: Response, redact: (text: string) => string = String, asked = url): string | null =>
  looksLike(response, { url: asked, redact })
const redirect = (location: string, status = 302, text = ''): Response =>
  answer(status, text, { fields: [['Location', location]] })
const challenge = (value: string, status = 401): Response =>
  answer(status, '', { fields: [['WWW-Authenticate', value]] })

const page = (text: string): Response => answer(200, text, { fields: [] })
const staging = 'is redirected to http://staging.example:8080'
const elsewhere = 'is redirected to https://a.example/'
const long = 'x'.repeat(80)

it.each<[says: string | null, Response, url?: string]>([
  ['is redirected to https://sso.example/authorize', redirect('https://sso.example/authorize?token=abc#x')],
  ['is redirected to https://sso.example/a', redirect('https://me:pw@sso.example/a')],
  [`${staging}/login`, redirect('/login?next=%2Fapi')],
  [`${staging}/cards/api/login`, redirect('../login')],
  [`is redirected to ${https} (should TARGET_BASE_URL begin with https://?)`, redirect(https)],
  ['is redirected to another scheme (javascript:)', redirect('javascript:alert(1)')],
  ['is redirected to another scheme (https-x:)', redirect('https-x://a')],
  ['is redirected to another scheme (xhttp:)', redirect('xhttp://a')],
  ['is redirected to an invalid address', redirect('http://')],
  [`${staging}/${'x'.repeat(200 - 28)}…`, redirect(`/${'x'.repeat(500)}`)],
  // It gets no hint if it redirects from an encrypted address.
  ['is redirected to https://b.example/b', redirect('https://b.example/b'), 'https://b.example/a'],
  // The first and the last status of redirects, and their neighbours.
  [null, redirect('https://a.example/', 299, 'x')],
  [elsewhere, redirect('https://a.example/', 300, 'x')],
  [elsewhere, redirect('https://a.example/', 399, 'x')],
  [null, redirect('https://a.example/', 400, 'x')],
  [null, answer(302, '', { fields: [] })],
  ['looks like a login page: Sign in', page('<!doctype html><title>Sign in</title><p>x')],
  ['is an HTML page: Log-on to A & B', page('<html><title>Log-on\n  to A &amp; B</title>')],
  ['looks like a login page: Log on', page('<html><title> Log on </title>')],
  ['looks like a login page: Hi', page('<html><title>Hi</title><form><input name=p type="password">')],
  ['looks like a login page without a title', page("<HTML><form><INPUT TYPE='password'>")],
  ['is an HTML page: 404 Not Found', page('<!DOCTYPE html>\n<title lang="en">404 Not Found</title>')],
  ['is an HTML page without a title', page('<!doctype html><h1>x</h1>')],
  [`is an HTML page: ${long}…`, page(`<html><title>${'x'.repeat(200)}</title>`)],
  ['is an XML document', page('  <?XML version="1.0"?><Error/>')],
  [`is an HTML page: A <b> "c" 'd'`, page('  <html><title>A &lt;b&gt; &quot;c&quot; &#39;d&#39;</title>')],
  ['looks like a login page: Logon', page('<html><title>Logon</title>')],
  ['looks like a login page: Signin', page('<html><title>Signin</title>')],
  ['looks like a login page: Sign-on', page('<html><title>Sign-on</title>')],
  ['looks like a login page: Company SSO', page('<html><title>Company SSO</title>')],
  ['looks like a login page: x', page('<html><title>x</title><input type = "password">')],
  ['looks like a login page: x', page('<html><title>x</title><input type= password>')],
  [`is an HTML page: ${long}`, page(`<html><title>${long}</title>`)],
  ['is an HTML page without a title', page(`<html>${' '.repeat(65_536)}<title>far</title>`)],
  ['is an answer without a body', page('')],
  [null, page('see <?xml version="1.0"?>')],
  [null, page('see <html><title>x</title>')],
  [null, page('x<?xml version="1.0"?>')],
  [null, page('hello')],
  ['asks for HTTP Basic (www-authenticate)', challenge('Basic realm="staging"')],
  ['asks for HTTP Bearer (www-authenticate)', challenge('Bearer')],
  ['asks for HTTP OAuth2-x (www-authenticate)', challenge('OAuth2-x realm="a"')],
  ['asks for HTTP authentication (www-authenticate)', challenge('\u001b[2J')],
  // A challenge needs its status, and a refusal its challenge.
  [null, challenge('Basic', 403)],
  [null, answer(401, '', { fields: [] })],
  // Only a success needs a body.
  ['is an answer without a body', answer(299, '', { fields: [] })],
  [null, answer(199, '', { fields: [] })],
  ['is an HTML page: Down', answer(503, 'x <title>Down</title>', { fields: html })],
  // JSON, even if it is labelled as a page.
  [null, answer(200, { a: 1 }, { fields: html })],
  [null, answer(403, { message: 'no' })],
])('an answer that is not from the service is described in words: it %s', (says, response, asked) => {
  expect(seen(response, String, asked)).toBe(says)
})

it('an answer that is not from the service shows no credential, even if a title or address is cut inside it', () => {
  const redact = (text: string): string => text.replaceAll('5ecr3t-5ecr3t-5ecr3t', '<K>')
  const title = `${'x'.repeat(70)}5ecr3t-5ecr3t-5ecr3t`
  const place = `/${'x'.repeat(165)}5ecr3t-5ecr3t-5ecr3t`

  expect(seen(answer(200, `<html><title>${title}</title>`, { fields: [] }), redact)).not.toContain('5ecr3t')
  expect(seen(redirect(place), redact)).not.toContain('5ecr3t')
})

it('an answer is quickly described in a bounded phrase, whatever it contains', () => {
  const tags = ['<html>', '<title', '>', '<input ', ' type=', 'password', '</title>']
  const parts = fc.constantFrom(...tags, 'x'.repeat(50), ' ')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), fc.nat({ max: 2_000 }), (texts, times) => {
      const phrase = seen(answer(200, texts.join('').repeat(times), { fields: html }))

      expect((phrase ?? '').length).toBeLessThan(300)
    }),
  )
})
