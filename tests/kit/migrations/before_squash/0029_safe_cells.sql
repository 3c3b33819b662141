-- A cell of a CSV file that no spreadsheet takes for a formula: an apostrophe before each sign that could begin one, at the
-- beginning and after separators. Equal to kit.spreadsheets.safe_cell, as a test sees to.
create or replace function safe_cell(cell text) returns text language sql immutable parallel safe
    return regexp_replace(
        cell,
        '(\A|[;,|\t\n\v\f\r\u0085\u2028\u2029])([ "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]*)'
            || '(?=[=+@\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b-])',
        '\1\2''',
        'g'
    );
