// SwiftUI exists only on Apple platforms. The view shows how the tested model is used there.
#if canImport(SwiftUI)
import RESTClient
import SwiftUI

struct SearchView: View {
    @State var model: SearchModel

    var body: some View {
        List {
            switch model.state {
            case .idle: EmptyView()
            case .loading: ProgressView()
            case .loaded(let leaves): ForEach(leaves) { Text($0.name) }
            case .failed(let message): Button(message) { model.search() }
            }
        }
        .searchable(text: $model.text)
    }
}

struct SearchPreviews: PreviewProvider {
    static var previews: some View {
        SearchView(model: SearchModel { _ in [Leaf(id: 1, name: "Sencha")] })
        SearchView(model: SearchModel { _ in throw RESTClientError(.timedOut(.idle)) })
    }
}

struct SearchServerPreviews: PreviewProvider {
    static var previews: some View {
        SearchView(model: SearchModel(leaves: PreviewShop().leaves(matching:)))
    }
}
#endif
