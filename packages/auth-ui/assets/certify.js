/** The owner types the code that certifies an app; once it is right, the page is loaded again and asks for consent. */
import { busy, element, setFieldError } from './form.js'

const form = document.querySelector('#certify-form')
if (form instanceof HTMLFormElement) askForCode(form)

/** @param {HTMLFormElement} codeForm */
function askForCode(codeForm) {
  const input = element('#code', HTMLInputElement)
  const button = element('button[type="submit"]', HTMLButtonElement, codeForm)
  const { empty = '', next = '' } = codeForm.dataset
  codeForm.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.disabled) return
    const code = input.value.replace(/\s/gu, '')
    setFieldError(input, code === '' ? empty : '')
    if (code === '') return
    const done = busy(button, codeForm.dataset['busy'] ?? '')
    const token = element('input[name="token"]', HTMLInputElement, codeForm).value
    const problem = await post(codeForm, new URLSearchParams({ code, token }))
    if (problem === undefined) {
      location.replace(next)
      return
    }
    done()
    setFieldError(input, problem)
    input.select()
  })
}

/**
 * @param {HTMLFormElement} codeForm says what went wrong
 * @param {URLSearchParams} body
 * @returns {Promise<string | undefined>} what went wrong; undefined: nothing, or this page is no longer what it was
 */
async function post(codeForm, body) {
  const response = await fetch(codeForm.action, { method: 'POST', body }).catch(() => undefined)
  if (response === undefined) return codeForm.dataset['offline'] ?? ''
  // 404: the app was removed meanwhile, which the page will say.
  if (response.ok || response.status === 404) return undefined
  if (response.status === 401) return codeForm.getAttribute('data-problem-two_factor_invalid') ?? ''
  if (response.status !== 429) return codeForm.dataset['unexpected'] ?? ''
  const minutes = Math.ceil(Number(response.headers.get('Retry-After') ?? 0) / 60)
  const text = codeForm.getAttribute('data-problem-rate_limited') ?? ''
  return text.replace('{minutes}', String(Math.max(1, minutes)))
}
