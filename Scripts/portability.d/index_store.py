"""Reads an index store through `libIndexStore` of the toolchain: which symbols a file uses, and in which lines."""
import ctypes
import pathlib
import shutil


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.data else ""


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
UNIT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, String)
REFERENCE, RECORD = 1 << 2, 2


class IndexStore:
    def __init__(self, path):
        toolchain = pathlib.Path(shutil.which("swiftc")).resolve().parent.parent
        self.library = ctypes.CDLL(str(toolchain / "lib/libIndexStore.so"))
        for name, result, *arguments in [
            ("store_create", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("store_units_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, UNIT_CALLBACK),
            ("unit_reader_create", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("unit_reader_dispose", None, ctypes.c_void_p),
            ("unit_reader_get_main_file", String, ctypes.c_void_p),
            ("unit_reader_dependencies_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, CALLBACK),
            ("unit_dependency_get_kind", ctypes.c_int, ctypes.c_void_p),
            ("unit_dependency_get_name", String, ctypes.c_void_p),
            ("record_reader_create", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            ("record_reader_dispose", None, ctypes.c_void_p),
            ("record_reader_occurrences_apply_f", ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, CALLBACK),
            ("occurrence_get_symbol", ctypes.c_void_p, ctypes.c_void_p),
            ("occurrence_get_roles", ctypes.c_uint64, ctypes.c_void_p),
            ("occurrence_get_line_col", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
            ("symbol_get_usr", String, ctypes.c_void_p),
            ("symbol_get_name", String, ctypes.c_void_p),
        ]:
            function = getattr(self.library, f"indexstore_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.store = self.store_create(str(path).encode(), None)
        if not self.store:
            raise SystemExit(f"{path}: no index store")

    def uses(self):
        """Yields the file, line, USR and name of each use of a symbol."""
        names = []
        self.store_units_apply_f(self.store, 1, None, UNIT_CALLBACK(lambda _, name: names.append(str(name)) or True))
        for name in names:
            unit = self.unit_reader_create(self.store, name.encode(), None)
            file, records = str(self.unit_reader_get_main_file(unit)), []

            def dependency(_, entry):
                if self.unit_dependency_get_kind(entry) == RECORD:
                    records.append(str(self.unit_dependency_get_name(entry)))
                return True

            self.unit_reader_dependencies_apply_f(unit, None, CALLBACK(dependency))
            self.unit_reader_dispose(unit)
            for record in records:
                yield from ((file, *use) for use in self.record(record))

    def record(self, name):
        uses, reader = [], self.record_reader_create(self.store, name.encode(), None)
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def occurrence(_, entry):
            if self.occurrence_get_roles(entry) & REFERENCE:
                self.occurrence_get_line_col(entry, ctypes.byref(line), ctypes.byref(column))
                symbol = self.occurrence_get_symbol(entry)
                uses.append((line.value, str(self.symbol_get_usr(symbol)), str(self.symbol_get_name(symbol))))
            return True

        if reader:
            self.record_reader_occurrences_apply_f(reader, None, CALLBACK(occurrence))
            self.record_reader_dispose(reader)
        return uses
