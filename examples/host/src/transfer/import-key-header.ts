/** Carries what opens the file of an import, as base64url of JSON: the body is the file. */
export const IMPORT_KEY_HEADER = 'svc-import-key'
